"""One file per benchmark; `configs/burgers.py:paper` asks for the paper's recipe.

A config file is Python and is executed; a finished run reloads from its JSON alone.
"""
