"""What a run folder's config.json has held over time."""

from typing import Any

# Fields that are gone, with the value at which they did nothing.
REMOVED = {"train": {"polish_steps": 0, "residual_times": None}}


def upgrade(config: dict[str, Any]) -> dict[str, Any]:
    """The config of an older folder as one would write it now.

    Fields that are gone are left out where they did nothing; where they did something,
    they stay, so that no other run is taken for this one.
    """
    config = dict(config)
    for section, gone in REMOVED.items():
        values = config.get(section, {})
        config[section] = {
            name: value
            for name, value in values.items()
            if name not in gone or value != gone[name]
        }
    return config
