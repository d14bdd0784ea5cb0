"""Comparing runs: which agent is better, by how much, and what cannot be told.

``compare`` takes runs on the same questions, or anybody's scores, and returns paired differences
with their intervals; ``judge_pair`` says whether a run may take the place of its baseline.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.comparison.comparing import compare as compare
    from mabench.comparison.flips import find_flips as find_flips
    from mabench.comparison.gates import GateResult as GateResult
    from mabench.comparison.gates import GateSide as GateSide
    from mabench.comparison.gates import is_as_good as is_as_good
    from mabench.comparison.gates import is_worse as is_worse
    from mabench.comparison.gates import judge_pair as judge_pair
    from mabench.comparison.planning import Design as Design
    from mabench.comparison.planning import Plan as Plan
    from mabench.comparison.planning import PlanSource as PlanSource
    from mabench.comparison.planning import plan as plan
    from mabench.comparison.results import ComparedRun as ComparedRun
    from mabench.comparison.results import Comparison as Comparison
    from mabench.comparison.results import DifferenceInterval as DifferenceInterval
    from mabench.comparison.results import Flip as Flip
    from mabench.comparison.results import MeanDifference as MeanDifference
    from mabench.comparison.results import Pair as Pair
    from mabench.comparison.results import RunScore as RunScore
    from mabench.comparison.results import SourceDifference as SourceDifference
    from mabench.comparison.score_tables import is_score_table as is_score_table
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
