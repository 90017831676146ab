"""Use an exported operator. Needs jax and flatbuffers, and nothing of pilno_jax:

    from load_operator import load
    operator = load("the folder of this file")
    u = operator({"u0": u0})                 # u0 of shape (batch, *shape)
    error, upper = operator.error({"u0": u0}, u)

`operator.metadata` says names, shapes and coordinates. A copy of this file lies in
every exported folder.
"""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np

CHECKSUMS = "SHA256SUMS"
PROGRAM, ERROR_PROGRAM = "operator.bin", "error.bin"
METADATA, WEIGHTS = "metadata.json", "weights.npz"
FILES = (PROGRAM, ERROR_PROGRAM, METADATA, WEIGHTS)


@dataclasses.dataclass(frozen=True)
class Operator:
    """A trained operator on its grid, for batches of any size.

    Attributes:
        metadata: Names, shapes and coordinates, the config of the training, versions.
        weights: The trained parameters by name.
        program: The compiled function (weights, inputs) -> u.
        error_program: The compiled function (inputs, u) -> a number per field that
            `metadata["error_bar"]` makes an error of.
    """

    metadata: dict[str, Any]
    weights: dict[str, jax.Array]
    program: Any
    error_program: Any

    def __call__(self, inputs: Mapping[str, Any]) -> np.ndarray:
        """Predict.

        Args:
            inputs: An array (batch, *shape) for each name in `metadata["inputs"]`,
                which has the shapes. Any batch size; each new one compiles once.

        Returns:
            u, an array (batch, *grid) on the coordinates of `metadata["axes"]`.

        Raises:
            ValueError: A name or shape is wrong, or a value is not finite.
        """
        return np.asarray(self.program(self.weights, self._checked(inputs)))

    def error(
        self, inputs: Mapping[str, Any], u: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Estimate the relative L2 errors of predictions.

        Args:
            inputs: Those that were predicted from.
            u: What the operator answered.

        Returns:
            The estimates, and what 90 % of inputs like the training's stay below.

        Raises:
            ValueError: The operator was exported without an error bar.
        """
        bar = self.metadata["error_bar"]
        if bar is None:
            raise ValueError("this operator was exported without an error bar")
        sizes = np.asarray(self.error_program(self._checked(inputs), u))
        estimates = np.hypot(bar["factor"] * sizes, bar["floor"])
        return estimates, bar["factor_above"] * estimates

    def _checked(self, inputs: Mapping[str, Any]) -> dict[str, np.ndarray]:
        fields = self.metadata["inputs"]
        if inputs.keys() != fields.keys():
            raise ValueError(f"inputs are {sorted(inputs)}: expected {sorted(fields)}")
        arrays = {}
        for name, about in fields.items():
            value = arrays[name] = np.asarray(inputs[name], about["dtype"])
            if value.ndim == 0 or list(value.shape[1:]) != about["shape"]:
                shape = ("batch", *about["shape"])
                raise ValueError(f"{name} has shape {value.shape}: expected {shape}")
            if not np.isfinite(value).all():
                raise ValueError(f"{name} has NaN or infinite entries")
        sizes = {name: len(value) for name, value in arrays.items()}
        if len(set(sizes.values())) != 1 or 0 in sizes.values():
            raise ValueError(f"batch sizes are {sizes}: expected one, above 0")
        return arrays


def load(folder: str | Path) -> Operator:
    """The operator in a folder, once its files are found to be as they were written.

    Args:
        folder: A folder that `pilno_jax.runs.exporting.export` wrote, or a copy.

    Raises:
        FileNotFoundError: It holds no operator, or a part of one.
        ValueError: A file is damaged.
    """
    folder = Path(folder)
    verify(folder)
    metadata = json.loads((folder / METADATA).read_text())
    with np.load(folder / WEIGHTS, allow_pickle=False) as archive:
        weights = {name: jax.numpy.asarray(archive[name]) for name in archive.files}
    from jax import export  # the one part of jax that needs flatbuffers

    programs = (
        jax.jit(export.deserialize(bytearray((folder / name).read_bytes())).call)
        for name in (PROGRAM, ERROR_PROGRAM)
    )
    return Operator(metadata, weights, *programs)


def verify(folder: Path) -> None:
    """Compare every file with its line in SHA256SUMS, as `sha256sum --check` does."""
    if not (folder / CHECKSUMS).is_file():
        raise FileNotFoundError(f"{folder} holds no operator: it has no {CHECKSUMS}")
    lines = (folder / CHECKSUMS).read_text().splitlines()
    expected = {name: digest for digest, _, name in (x.partition("  ") for x in lines)}
    for name in {*FILES, *expected}:
        if not (folder / name).is_file():
            raise FileNotFoundError(f"{folder} is not complete: {name} is missing")
        if digest(folder / name) != expected.get(name):
            raise ValueError(
                f"{folder / name} is damaged: its sha256 is not that of {CHECKSUMS}. "
                "Copy or export it again"
            )


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
