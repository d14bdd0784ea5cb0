"""The floor: the strongest agent without a language model, a module for each skill."""

from mabench_floor.agent import FloorAgent

__all__ = ["FloorAgent"]
