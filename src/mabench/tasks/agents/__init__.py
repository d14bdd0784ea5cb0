"""Calling agents: their code runs in a loop and in threads of its own, and the engine waits."""
