"""A function as an ONNX program, in real arithmetic, through jax2onnx."""

import importlib.util
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
from jax.extend.core import jaxpr_as_fun

from pilno_jax.numerics.real_program import real_program

OPSET = 21  # of July 2024: known to runtimes that are some years old


def onnx_program(
    function: Callable[[dict[str, Any]], Mapping[str, Any]],
    inputs: Mapping[str, jax.ShapeDtypeStruct],
) -> bytes:
    """The serialised program of a function of named arrays.

    Args:
        function: arrays by name -> arrays by name. It may use complex numbers, Fourier
            transforms and loops inside, and solve systems of equations.
        inputs: names, shapes and types of what it is given.

    Raises:
        ImportError: jax2onnx is not installed.
        NotImplementedError: An operation has no counterpart.
    """
    if importlib.util.find_spec("jax2onnx") is None:
        text = 'ONNX programs need jax2onnx: pip install "pilno-jax[onnx]"'
        raise ImportError(text)
    names = list(inputs)
    outputs: list[str] = []

    def positional(*arrays: Any) -> Sequence[Any]:
        answers = function(dict(zip(names, arrays, strict=True)))
        outputs[:] = answers
        return list(answers.values())

    shapes = list(inputs.values())
    try:
        # Traced before jax2onnx puts functions of its own in the place of jax.numpy's.
        program = real_program(positional, *shapes)
        return _converted(jaxpr_as_fun(program), shapes, names, outputs)
    except NotImplementedError as error:
        text = f"ONNX has no operation for a part of this program: {error}"
        raise NotImplementedError(text) from error


def _converted(
    function: Callable, shapes: list[Any], names: list[str], outputs: list[str]
) -> bytes:
    logging.getLogger("jax2onnx").setLevel(logging.CRITICAL)  # complains of its parts
    import onnx_ir  # pyright: ignore[reportMissingImports]
    from jax2onnx import to_onnx  # pyright: ignore[reportMissingImports]
    from onnx_ir.passes import common  # pyright: ignore[reportMissingImports]

    options: dict[str, Any] = {"opset": OPSET, "return_mode": "ir"}
    named = {"input_names": names, "output_names": outputs}
    model = to_onnx(function, shapes, **named, **options)
    # Layers share matrices, and stages share what they compute of the inputs.
    for step in (
        common.DeduplicateInitializersPass(size_limit=1 << 40),
        common.CommonSubexpressionEliminationPass(),
        common.RemoveUnusedNodesPass(),
    ):
        model = step(model).model
    return onnx_ir.to_proto(model).SerializeToString()
