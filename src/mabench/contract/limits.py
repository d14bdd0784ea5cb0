"""How much an agent may return: generous limits, beyond which its call has failed.

What comes from other processes has limits of its own, in bytes: ``mabench.remote.replies``.
"""

from __future__ import annotations

LONGEST_ANSWER = 1_000_000  # Characters.
MOST_PASSAGES = 10_000  # For one question.
LONGEST_PASSAGES = 10_000_000  # Characters of all of them, or of a prompt.
LONGEST_ERROR = 100_000  # Characters that are read of an error; fewer are kept.
MOST_NOTES = 10  # Of an error.
