"""The folders of runs: which one a run gets, what it is called, and whether it is resumed."""
