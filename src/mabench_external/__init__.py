"""Other benchmarks of memory: LoCoMo, LongMemEval's own files, and BEAM."""
