"""Families of sources: how their histories are cut, their questions asked and answers scored.

Everything that depends on a family is here; the rest of mabench asks the family for it.

To report a metric of your own, return it from ``official`` of a ``Family``: a function that takes a
``ScoringInput`` and returns values from 0 to 1 by name. The family may be in your own package (an
entry point of the group ``mabench.families``, or ``package.module:FAMILY``). ``metric`` of a source
in ``sources.toml`` chooses the one that counts. Our own metrics are functions of
``mabench.scoring``, which lists them.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.families.benchmark import FAMILIES as FAMILIES
    from mabench.families.budget import Budget as Budget
    from mabench.families.budget import ProtocolName as ProtocolName
    from mabench.families.family import AuditCheck as AuditCheck
    from mabench.families.family import Family as Family
    from mabench.families.family import Leak as Leak
    from mabench.families.family import ScoringInput as ScoringInput
    from mabench.families.own import OWN_FAMILIES as OWN_FAMILIES
    from mabench.families.prompts import SYSTEM_MESSAGE as SYSTEM_MESSAGE
    from mabench.families.prompts import Prompts as Prompts
    from mabench.families.registry import families_of as families_of
    from mabench.families.registry import family_of as family_of
    from mabench.families.rubric import UNCLEAR as UNCLEAR
    from mabench.families.rubric import JudgePrompt as JudgePrompt
    from mabench.families.rubric import JudgingInput as JudgingInput
    from mabench.families.rubric import Rubric as Rubric
    from mabench.families.score import Score as Score
    from mabench.families.score import score_answer as score_answer
    from mabench.families.score import score_prediction as score_prediction
    from mabench.families.searching import search_query as search_query
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
