import pytest

from mabench.data import Source
from mabench.families import family_named, score_answer
from mabench.families.family import JudgingInput, ScoringInput

_NONE = ("No information available", "adversarial")
SOURCE = Source("locomo", split="LoCoMo", family="locomo")


@pytest.mark.parametrize(
    ("prediction", "gold", "kind", "official", "corrected"),
    [
        ("She bought a red canoe.", "a red canoe", "single-hop", 2 / 3, 1.0),
        ("May 7, 2023", "7 May 2023", "temporal", 1.0, 1.0),
        ("swimming and pottery", "pottery, camping, painting, swimming", "multi-hop", None, 0.5),
        ("swimming, camping, pottery", "pottery, camping, swimming", "multi-hop", 1.0, 1.0),
        ("Likely yes", "Likely yes; she bought a canoe", "open-domain", 1.0, 1.0),
        ("I don't know.", *_NONE, 0.0, 1.0),
        ("I could only guess.", *_NONE, 0.0, 1.0),
        ("They never talk about it.", *_NONE, 0.0, 1.0),
        ("I looked. It is not said: unknown.", *_NONE, 0, 1),
        ("Rock.\nI can't wait for it. So fun!", *_NONE, 0, 0),
        ("It is unknown, but probably jazz", *_NONE, 0, 0),
        ("Nothing was said. My guess: jazz", *_NONE, 0, 0),
        ("Not mentioned", *_NONE, 1.0, 1.0),
        ("A red canoe", *_NONE, 0.0, 0.0),
        ("No, he did not.", "No", "adversarial", 0.0, 1.0),
        ("Yes", "No", "adversarial", 0.0, 0.0),
        ("", *_NONE, 0.0, 0.0),
    ],
)
def test_both_scores_go_by_the_category(
    prediction: str, gold: str, kind: str, official: float | None, corrected: float
) -> None:
    score = score_answer(SOURCE, prediction, [gold], "Q?", question_type=kind)
    if official is not None:
        assert score.reported == pytest.approx(official)
    assert score.reported_corrected == corrected


@pytest.mark.parametrize(
    ("gold", "kind"),
    [
        ("7", "temporal"),
        ("canoe, pear trees", "multi-hop"),
        ("Likely yes; she bought a canoe", "open-domain"),
        _NONE,
        ("No", "adversarial"),
    ],
)
def test_the_ideal_answer_is_right_by_both_scores(gold: str, kind: str) -> None:
    case = ScoringInput("", [gold], "Q?", question_type=kind)
    ideal = family_named("locomo").ideal(case)
    score = score_answer(SOURCE, ideal, [gold], "Q?", question_type=kind)
    assert (score.reported, score.reported_corrected) == (1.0, 1.0)


def test_the_judge_is_asked_by_the_category_and_stands_beside() -> None:
    family = family_named("locomo")
    assert family.rubric is not None
    assert not family.needs_judge
    for kind, role in (("temporal", "judge"), ("adversarial", "judge_unanswerable")):
        case = JudgingInput("Q?", ["x"], "y", question_type=kind)
        assert family.rubric.prompts_for(case)[0].role == role
