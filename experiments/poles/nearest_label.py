"""What a table of the labels is worth: no network, nothing learned.

A forcing is answered with the label of the training forcing that is nearest to it in
the first sixteenth of the time, about one period of LNO's forcings. Where training and
test differ in shape, a network that does no better has looked the answer up.
"""

import numpy as np

from pilno_jax.data import Data

LOOKED_AT = 1 / 16


def errors(train: Data, test: Data) -> np.ndarray:
    """Of every test sample the relative L2 error of the nearest label.

    Args:
        train: inputs f and labels, which are the table.
        test: inputs f and labels, on the same nodes.
    """
    known, asked = (np.asarray(each["inputs"]["f"]) for each in (train, test))
    first = int(known.shape[-1] * LOOKED_AT)
    apart = asked[:, None, :first] - known[None, :, :first]
    nearest = np.argmin(np.sum(apart**2, axis=-1), axis=1)
    truth = np.asarray(test["labels"])
    found = np.asarray(train["labels"])[nearest]
    return np.linalg.norm(found - truth, axis=1) / np.linalg.norm(truth, axis=1)
