"""A story, what comes next in it, and its summary."""
