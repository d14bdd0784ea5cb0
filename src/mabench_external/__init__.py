"""Other benchmarks of memory: LoCoMo, LongMemEval's own files, and BEAM.

Each is read from its published files into rows. What has no place in a row is reported, never lost
silently.
"""
