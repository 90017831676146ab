"""Parameters as arrays by name, the form in which they leave a process."""

from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

from pilno_jax.checks import require


def named_weights(params: Any) -> dict[str, Any]:
    """ "params/kernel_0/residues" -> its leaf, in the order of the tree's leaves.

    Those of an operator in stages begin with the number of the stage, from 0 on.

    Args:
        params: a tree of arrays, or of their shapes.
    """
    return {
        jax.tree_util.keystr(path, simple=True, separator="/"): leaf
        for path, leaf in jax.tree.leaves_with_path(params)
    }


def tree_of(arrays: Mapping[str, np.ndarray], like: Any) -> Any:
    """The tree whose `named_weights` these arrays are.

    Args:
        arrays: by name, in any order.
        like: the tree of the shapes that are expected.

    Raises:
        ArgumentError: A name is missing or unknown, or a shape differs.
    """
    expected = {name: leaf.shape for name, leaf in named_weights(like).items()}
    given = {name: array.shape for name, array in arrays.items()}
    differing = sorted(dict(expected.items() ^ given.items()))
    require(not differing, "parameters", differing, "those of the config's networks")
    leaves = [arrays[name] for name in expected]
    return jax.tree.unflatten(jax.tree.structure(like), leaves)
