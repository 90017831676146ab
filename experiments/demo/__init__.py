"""A local page to play with a trained operator; `python -m experiments.demo`."""
