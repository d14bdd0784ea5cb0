"""Outside memory systems. The files here import nothing of mabench."""
