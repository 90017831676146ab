"""Which parameters mix channels: optimisers and meshes treat these in their own way.

A spectral layer has one complex (in, out) matrix for each mode, stored as one real
array (*modes, in, 2, out). A network marks such an array by its name. The leaves of an
optimiser's state are found alike, since their paths end as those of the parameters do.
"""

from collections.abc import Sequence
from typing import Any

MIXING_WEIGHTS = ("multiplier", "residues")


def is_mixing_weight(path: Sequence[Any], leaf: Any) -> bool:
    """Whether a leaf is an array of mixing matrices.

    Args:
        path: of the leaf in its tree, as `jax.tree_util.tree_map_with_path` gives it.
        leaf: the array, or anything else with its `ndim`. An array of that name with
            no room for modes, inputs, parts and outputs is something else.
    """
    name = getattr(path[-1], "key", None) if path else None
    return name in MIXING_WEIGHTS and leaf.ndim >= 4
