"""mabench."""
