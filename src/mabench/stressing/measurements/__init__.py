"""What is measured of a memory: how fast it is under load, and whether it grows without end."""
