"""Run folders: what a training leaves behind, and the operator back from it."""
