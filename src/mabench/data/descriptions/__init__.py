"""Files of other benchmarks by descriptions of them: what stands where, and how it is read."""
