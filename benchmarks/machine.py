"""What this machine can do at best, for rooflines."""

import time

import jax
import jax.numpy as jnp


class Machine:
    """The best rates seen: of a large matrix product and of a copy."""

    def __init__(self):
        n = 2048
        matrix = jnp.ones((n, n), jnp.float32)
        self.product = jax.jit(jnp.matmul), (matrix, matrix), 2 * n**3
        stream = jnp.ones(2**24, jnp.float32)
        self.copy = jax.jit(lambda x: x + 1), (stream,), 2 * stream.nbytes
        self.gflops = self.gflops_per_core = self.gigabytes = 0.0
        self.run()
        self.run()

    def run(self) -> None:
        (wall, processor), flops = self._time(*self.product[:2]), self.product[2]
        self.gflops = max(self.gflops, flops / wall / 1e9)
        self.gflops_per_core = max(self.gflops_per_core, flops / processor / 1e9)
        wall, _ = self._time(*self.copy[:2])
        self.gigabytes = max(self.gigabytes, self.copy[2] / wall / 1e9)

    @staticmethod
    def _time(function, arguments) -> tuple[float, float]:
        processor, wall = time.process_time(), time.perf_counter()
        jax.block_until_ready(function(*arguments))
        return time.perf_counter() - wall, time.process_time() - processor
