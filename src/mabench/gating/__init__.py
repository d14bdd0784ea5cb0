"""Gates: whether an agent may take the place of its baseline.

``gate`` runs what is not yet run, compares on the same questions, and fails only what is shown to
be worse by more than a margin. It never calls a change harmless because too little was asked: the
result says whether anything was decided.
"""

from mabench.gating.deciding import decide as decide
from mabench.gating.deciding import gate as gate
from mabench.gating.deciding import run_gate as run_gate
from mabench.gating.result import GatedScore as GatedScore
from mabench.gating.result import GateResult as GateResult
from mabench.gating.result import PartChange as PartChange
