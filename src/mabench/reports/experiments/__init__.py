"""Reports of experiments: sweeps, races, plans of comparisons, and stresses of memories."""
