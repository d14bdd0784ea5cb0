"""`python -m mabench`."""

from mabench.cli import main

main()
