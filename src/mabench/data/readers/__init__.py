"""Readers of files: Parquet and JSON, the hub, and what other benchmarks publish."""
