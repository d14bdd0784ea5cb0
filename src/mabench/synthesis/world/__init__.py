"""An invented world, and documents about it."""
