"""neuraloperator's FNO at one of our sizes, timed in a process of its own.

Called by `step_time`, which may point it to another Python: torch and jax rarely want
the same environment. Prints one line of JSON.
"""

import argparse
import json
import time

# Not among our own requirements, see above.
import torch  # pyright: ignore[reportMissingImports]
from neuralop.models import FNO  # pyright: ignore[reportMissingImports]

ACTIVATIONS = {"tanh": torch.tanh, "gelu": torch.nn.functional.gelu, "sin": torch.sin}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("size", type=json.loads)
    parser.add_argument("--repeats", type=int, required=True)
    options = parser.parse_args()
    size = options.size
    modes, width = size["modes"], size["width"]
    torch.manual_seed(0)
    # Frequencies up to modes - 1 of both signs, on the last axis its non-negative
    # half; neither the coordinates nor the pointwise network that ours does not have.
    net = FNO(
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
    features = torch.randn(size["batch"], size["channels"], *size["grid"])
    forward, both = [], []
    for _ in range(options.repeats + 1):
        start = time.perf_counter()
        with torch.no_grad():
            net(features)
        middle = time.perf_counter()
        net.zero_grad()
        (net(features) ** 2).mean().backward()
        forward.append(middle - start)
        both.append(time.perf_counter() - middle)
    # The first round allocates and plans.
    print(json.dumps({"forward": min(forward[1:]), "both": min(both[1:])}))


if __name__ == "__main__":
    main()
