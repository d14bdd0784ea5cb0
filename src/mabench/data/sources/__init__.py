"""Sources that a user declares, and the patterns in which they do."""
