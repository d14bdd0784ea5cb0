"""Plans: what it takes to show a difference, from what finished runs show and cost."""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.comparison.planning.planner import plan as plan
    from mabench.comparison.planning.plans import Design as Design
    from mabench.comparison.planning.plans import Plan as Plan
    from mabench.comparison.planning.plans import PlanSource as PlanSource
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
