"""Compares memories on conversations whose right answers nobody knows: `mabench observe`."""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.observing.answers import DifferingAnswers as DifferingAnswers
    from mabench.observing.asked import AskedOf as AskedOf
    from mabench.observing.figures import ObservedPair as ObservedPair
    from mabench.observing.figures import ObservedRun as ObservedRun
    from mabench.observing.observation import Observation as Observation
    from mabench.observing.observation import observe as observe
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
