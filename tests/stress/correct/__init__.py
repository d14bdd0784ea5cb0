"""Memories without a fault: `tests.stress.faulty` says what that means."""
