"""The agent ``floor``: the strongest agent without a language model, a module for each skill.

It reads only the history and the question; nothing in it may be tuned to the rows of a data set.
"""

from mabench_floor.agent import FloorAgent

__all__ = ["FloorAgent"]
