"""Arrays on grids: what equations, solvers and networks are computed with."""
