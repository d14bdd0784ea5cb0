"""The files that a run leaves on disk: what their lines hold, and how they are read and written."""
