"""The diffusion equation of Appendix B: length scales."""

from experiments.paper.length_scale_maps import heat_map

length_scales = heat_map("Diffusion: length scales", "diffusion", labels=25)
