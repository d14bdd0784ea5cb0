"""Reports on the verdicts of judges, which are language models, and of people on answers."""
