"""Makes rows of in-context learning: labelled texts."""
