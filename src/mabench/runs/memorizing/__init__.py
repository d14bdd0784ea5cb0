"""The memory of one row: told or loaded, then measured and saved."""
