"""The files of other benchmarks as they are published, read as rows."""
