"""The networks that `step_time` compares, compiled: one forward pass, one step."""

import functools
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from benchmarks.fft_fno import CHANNELS, PROJECTION, fft_fno
from benchmarks.timing import Call, Times
from pilno_jax.models import ALNO, FNO

FORWARD, STEP = "forward", "both"
SLOW = "1 layer, pairwise"


def contenders(
    size: dict[str, Any], periodic: tuple[bool, bool]
) -> "dict[str, Contender]":
    """Every network at one size, by the name under which it is reported."""
    axes = tuple(
        jnp.linspace(0, 1, n, endpoint=not wraps)
        for n, wraps in zip(size["grid"], periodic, strict=True)
    )
    shape = (size["batch"], *size["grid"], CHANNELS)
    rng = np.random.default_rng(0)
    features = jnp.asarray(rng.normal(size=shape), jnp.float32)

    def build(model, **options):
        return network(size, model, features, axes, **options)

    poles = {"poles": size["modes"]}
    alno, one = build(ALNO, **poles), {"num_layers": 1, **poles}
    pairwise = build(ALNO, pole_sharing="pairwise", **one)
    return {
        "ALNO": Contender(*alno, features),
        "ALNO, 2 devices": Contender(*alno, features, devices=2),
        "FNO": Contender(*build(FNO), features),
        "FNO by FFT": Contender(*fft_fno(size, size["activation"]), features),
        "1 layer, shared": Contender(*build(ALNO, **one), features),
        SLOW: Contender(*pairwise, features),
    }


def network(size: dict[str, Any], model, features, axes, **options):
    """(apply, params) of one of our models, with weights that are drawn at random."""
    net = model(
        width=size["width"],
        num_layers=options.pop("num_layers", size["num_layers"]),
        modes=size["modes"],
        activation=size["activation"],
        projection_width=PROJECTION,
        **options,
    )
    shapes = jax.eval_shape(net.init, jax.random.key(0), features, axes)
    rng = np.random.default_rng(0)
    params = jax.tree.map(
        lambda leaf: jnp.asarray(rng.normal(size=leaf.shape) / 30, leaf.dtype), shapes
    )
    return lambda params, features: net.apply(params, features, axes), params


class Contender:
    """A network's compiled programs: a forward pass, and one with its gradient.

    Args:
        apply: (params, features) -> prediction.
        devices: virtual CPU devices over which the batch is split; what does not
            divide is left out.
    """

    def __init__(self, apply, params, features, devices: int = 1):
        if devices > 1:
            features = features[: len(features) // devices * devices]
            mesh = jax.make_mesh((devices,), ("data",), axis_types=(AxisType.Auto,))
            whole, split = (NamedSharding(mesh, P(*axis)) for axis in ((), ("data",)))
            specs = (whole.spec, split.spec)
            apply = jax.shard_map(
                apply, mesh=mesh, in_specs=specs, out_specs=split.spec
            )
            params = jax.device_put(params, whole)
            features = jax.device_put(features, split)

        def loss(params, features):
            return jnp.mean(apply(params, features) ** 2)

        self.arguments = params, features
        self.batch = len(features)
        self.programs = {
            name: jax.jit(function).lower(*self.arguments).compile()
            for name, function in (
                (FORWARD, apply),
                (STEP, jax.value_and_grad(loss)),
            )
        }

    def calls(self) -> dict[str, Call]:
        return {
            name: functools.partial(program, *self.arguments)
            for name, program in self.programs.items()
        }

    def record(self, times: Mapping[str, Times]) -> dict[str, Any]:
        """What is reported of it, given the times of its calls."""
        memory: Any = self.programs[STEP].memory_analysis()
        sizes = (memory.temp_size_in_bytes, memory.argument_size_in_bytes)
        cost: Any = self.programs[STEP].cost_analysis()
        return {
            "batch": self.batch,
            "forward_ms": 1e3 * times[FORWARD].fastest,
            "step_ms": 1e3 * times[STEP].fastest,
            "step_processor_ms": 1e3 * times[STEP].fastest_processor,
            "peak_memory_mb": (sum(sizes) + memory.output_size_in_bytes) / 1e6,
            "gigabytes_moved": cost["bytes accessed"] / 1e9,
        }
