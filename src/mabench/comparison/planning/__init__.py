"""Plans: what it takes to show a difference, from what finished runs show and cost."""

from mabench.comparison.planning.planner import plan as plan
from mabench.comparison.planning.plans import Design as Design
from mabench.comparison.planning.plans import Plan as Plan
from mabench.comparison.planning.plans import PlanSource as PlanSource
