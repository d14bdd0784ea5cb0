"""Tasks in the event loop of a command, and ending them early so that the work can resume."""
