"""Reports on who judged the answers of a run: models and people."""
