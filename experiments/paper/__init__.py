"""Every table and figure of the paper, by name, then the ablations of our recipes."""

from collections.abc import Mapping

from experiments.paper import (
    ablations,
    burgers,
    burgers_backbones,
    causality,
    cost,
    darcy,
    diffusion,
    forced_kdv,
    main_table,
    reaction_diffusion,
)
from experiments.paper.artifact import Artifact

ARTIFACTS: Mapping[str, Artifact] = {
    "table-main": main_table.errors,
    "burgers-data": burgers.data,
    "burgers-worst": burgers.worst,
    "burgers-ood": burgers.length_scales,
    "rd-ic-ood": reaction_diffusion.ic_length_scales,
    "rd-data": reaction_diffusion.data,
    "rd-ood": reaction_diffusion.length_scales,
    "rd-lines": reaction_diffusion.lines,
    "rd-fields": reaction_diffusion.fields,
    "rd-causality": causality.over_training,
    "rd-causality-scatter": causality.case_by_case,
    "rd-causality-no-virtual": causality.no_virtual,
    "darcy-table": darcy.four_models,
    "darcy-data": darcy.data,
    "darcy-virtual": darcy.no_virtual,
    "darcy-fields": darcy.fields,
    "kdv-data": forced_kdv.data,
    "kdv-fields": forced_kdv.fields,
    "kdv-errors": forced_kdv.errors,
    "cost-table": main_table.costs,
    "cost-ablation": cost.ablation,
    "cost-wallclock": cost.wallclock,
    "burgers-backbones": burgers_backbones.backbones,
    "diffusion-ood": diffusion.length_scales,
    "darcy-resolution": darcy.resolution,
    **ablations.ABLATIONS,
}
