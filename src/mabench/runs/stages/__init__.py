"""Where in its life a memory was lost: its store and a deeper search are read after the answers."""
