"""neuraloperator's FNO at one of our sizes, timed in a process of its own.

Called by `step_time`, which may point it to another Python: torch and jax rarely want
the same environment. Prints one line of JSON.
"""

import argparse
import json

# Not among our own requirements, see above.
import torch  # pyright: ignore[reportMissingImports]
from neuralop.models import FNO  # pyright: ignore[reportMissingImports]

from benchmarks import timing

ACTIVATIONS = {"tanh": torch.tanh, "gelu": torch.nn.functional.gelu, "sin": torch.sin}


def network(size: dict) -> torch.nn.Module:
    """Ours as nearly as theirs can be.

    Frequencies up to modes - 1 of both signs, on the last axis its non-negative half;
    neither the coordinates nor the pointwise network that ours does not have.
    """
    modes, width = size["modes"], size["width"]
    return FNO(
        n_modes=(2 * modes - 1, 2 * modes - 2),
        in_channels=size["channels"],
        out_channels=1,
        hidden_channels=width,
        n_layers=size["num_layers"],
        lifting_channel_ratio=1,
        projection_channel_ratio=128 / width,
        non_linearity=ACTIVATIONS[size["activation"]],
        positional_embedding=None,
        use_channel_mlp=False,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("size", type=json.loads)
    parser.add_argument("--repeats", type=int, required=True)
    options = parser.parse_args()
    size = options.size
    torch.manual_seed(0)
    net = network(size)
    features = torch.randn(size["batch"], size["channels"], *size["grid"])

    def forward() -> None:
        with torch.no_grad():
            net(features)

    def both() -> None:
        net.zero_grad()
        (net(features) ** 2).mean().backward()

    # Torch computes at once on a CPU: there is nothing to wait for.
    calls = {"forward": forward, "both": both}
    times = timing.interleaved(calls, options.repeats, wait=lambda result: result)
    print(json.dumps({name: taken.fastest for name, taken in times.items()}))


if __name__ == "__main__":
    main()
