import pytest

from mabench.data import Source
from mabench.families import family_named, score_answer
from mabench.families.family import JudgingInput, ScoringInput

SOURCE = Source("locomo", split="LoCoMo", family="locomo")


@pytest.mark.parametrize(
    ("prediction", "gold", "kind", "official", "corrected"),
    [
        ("She bought a red canoe.", "a red canoe", "single-hop", 2 / 3, 1.0),
        ("May 7, 2023", "7 May 2023", "temporal", 1.0, 1.0),
        ("swimming and pottery", "pottery, camping, painting, swimming", "multi-hop", None, 0.5),
        (
            "swimming, painting, camping, pottery",
            "pottery, camping, painting, swimming",
            "multi-hop",
            1.0,
            1.0,
        ),
        ("Likely yes", "Likely yes; she bought a canoe", "open-domain", 1.0, 1.0),
        ("I don't know.", "No information available", "adversarial", 0.0, 1.0),
        ("I could only guess.", "No information available", "adversarial", 0.0, 1.0),
        ("They never talk about it.", "No information available", "adversarial", 0.0, 1.0),
        ("I looked. It is not said: unknown.", "No information available", "adversarial", 0, 1),
        ("Rock.\nI can't wait for it. So fun!", "No information available", "adversarial", 0, 0),
        ("It is unknown, but probably jazz", "No information available", "adversarial", 0, 0),
        ("Nothing was said. My guess: jazz", "No information available", "adversarial", 0, 0),
        ("Not mentioned", "No information available", "adversarial", 1.0, 1.0),
        ("A red canoe", "No information available", "adversarial", 0.0, 0.0),
        ("No, he did not.", "No", "adversarial", 0.0, 1.0),
        ("Yes", "No", "adversarial", 0.0, 0.0),
        ("", "No information available", "adversarial", 0.0, 0.0),
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
        ("No information available", "adversarial"),
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
    roles = [
        family.rubric.prompts_for(JudgingInput("Q?", ["x"], "y", question_type=kind))[0].role
        for kind in ("temporal", "adversarial")
    ]
    assert roles == ["judge", "judge_unanswerable"]
