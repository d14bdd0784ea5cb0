"""How sure figures are: intervals of scores and differences, one test, and the power of plans.

What many questions about a few histories can show of other histories is little, since questions
about one history share one memory. Nothing here knows of runs, sources or files.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.uncertainty.betting import confidence_sequence as confidence_sequence
    from mabench.uncertainty.clustered import estimate_new as estimate_new
    from mabench.uncertainty.clustered import speaks_of_new as speaks_of_new
    from mabench.uncertainty.components import Components as Components
    from mabench.uncertainty.grouped import Floats as Floats
    from mabench.uncertainty.grouped import Grouped as Grouped
    from mabench.uncertainty.intervals import ALPHA as ALPHA
    from mabench.uncertainty.intervals import MIN_HISTORIES as MIN_HISTORIES
    from mabench.uncertainty.intervals import Estimate as Estimate
    from mabench.uncertainty.intervals import Interval as Interval
    from mabench.uncertainty.intervals import Spread as Spread
    from mabench.uncertainty.intervals import quantile as quantile
    from mabench.uncertainty.letters import LetteredAnswer as LetteredAnswer
    from mabench.uncertainty.letters import compare_letters as compare_letters
    from mabench.uncertainty.means import WeightedPart as WeightedPart
    from mabench.uncertainty.paired import PairedDifference as PairedDifference
    from mabench.uncertainty.paired import compare_paired as compare_paired
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
