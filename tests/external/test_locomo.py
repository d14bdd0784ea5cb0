"""LoCoMo's F1 equals a second implementation.

That is written by somebody who knew the published code and not ours; see ``second_rules``.
"""

import random
from collections import Counter

import pytest

from mabench.families.family import ScoringInput
from mabench_external.locomo.family import FAMILY
from tests.external.second_rules import score_locomo

_CATEGORIES = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
_WORDS = (
    *("the", "The", "a", "an", "and", "AND", "dogs", "dog", "cat", "cats", "8 May", "May", "2023"),
    *(
        "7",
        "yes",
        "Yes;",
        "; no",
        ",",
        ", ",
        ";",
        "...",
        "it's",
        "well-known",
        "running",
        "ran",
        "\n",
    ),
    *("No information available", "not mentioned", "NOT MENTIONED", "No information", "mentioned"),
    # Letters, marks and signs that end a word for `re` and not for `regex`, or the reverse.
    *("caf\u00e9", "a\u0301", "the\u0308", "\u24d0", "a\u00b2", "a\u2160", "a_", "_the", "\u200d"),
    *(
        "a\u200dn",
        "\u00a0",
        "\u201cthe\u201d",
        "the\u2019s",
        "\u0130",
        "\u00df",
        "\u5929",
        "a\u5929",
    ),
    *(
        "\uff21",
        "an\u203f",
        "\u0660a",
        "a\u00bd",
        "\u0903a",
        "the\ufe0f",
        "\u20dda",
        "a\u00aa",
        " ",
    ),
)


@pytest.mark.parametrize("category", _CATEGORIES)
def test_scores_equal_a_second_implementation(category: int) -> None:
    chosen, outcomes = random.Random(category), Counter[bool]()
    for _ in range(3_000):
        said, gold = (
            chosen.choice(("", " ", " ")).join(chosen.choices(_WORDS, k=chosen.choice(sizes)))
            for sizes in ((0, 1, 2, 3, 5, 8), (1, 1, 2, 3))
        )
        case = ScoringInput(said, [gold], "q?", question_type=_CATEGORIES[category])
        second = score_locomo(said, gold, category)
        assert FAMILY.official(case)["f1"] == pytest.approx(second, abs=1e-12), (said, gold)
        outcomes[second > 0] += 1
    assert min(outcomes[False], outcomes[True]) > 100
