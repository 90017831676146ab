"""What this machine can do at best, for rooflines."""

from collections.abc import Mapping

import jax
import jax.numpy as jnp

from benchmarks.timing import Call, Times

PRODUCT, COPY = "matrix product", "copy"
SIDE = 2048
FLOPS = 2 * SIDE**3
STREAM = 2**24
BYTES = 2 * 4 * STREAM


class Machine:
    """The best rates seen: of a large matrix product and of a copy.

    Attributes:
        gflops: 10^9 operations per second, of all cores together.
        gflops_per_core: the same per second of processor time.
        gigabytes: read and written per second.
    """

    def __init__(self):
        self.gflops = self.gflops_per_core = self.gigabytes = 0.0

    def calls(self) -> dict[str, Call]:
        """What is timed among the programs that are to be compared with its rates."""
        matrix = jnp.ones((SIDE, SIDE), jnp.float32)
        stream = jnp.ones(STREAM, jnp.float32)
        product, copy = jax.jit(jnp.matmul), jax.jit(lambda x: x + 1)
        return {PRODUCT: lambda: product(matrix, matrix), COPY: lambda: copy(stream)}

    def learn(self, times: Mapping[str, Times]) -> None:
        """Keep the better of the rates known and those of new times."""
        product, copy = times[PRODUCT], times[COPY]
        per_core = FLOPS / product.fastest_processor / 1e9
        self.gflops = max(self.gflops, FLOPS / product.fastest / 1e9)
        self.gflops_per_core = max(self.gflops_per_core, per_core)
        self.gigabytes = max(self.gigabytes, BYTES / copy.fastest / 1e9)
