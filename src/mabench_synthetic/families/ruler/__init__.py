"""Makes rows of RULER: numbered documents about an invented world."""
