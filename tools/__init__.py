"""Programs that developers run: no part of the package."""
