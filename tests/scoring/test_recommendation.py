"""The rule for recommendations."""

from __future__ import annotations

import pytest

from mabench.scoring import Catalogue, Corrected, correct_recommendation

_FILMS = {
    "<x/Water_(1985_film)>": 0,
    "<x/Water_(2005_film)>": 1,
    "<x/Water>": 2,
    "<x/Toy_Story>": 3,
    "<x/Toy_Story_3>": 4,
    "<x/Monsters,_Inc.>": 5,
    "<x/Am\u00e9lie_(2001_film)>": 6,
    "<x/The_Time_Traveler's_Wife_(film)>": 7,
    "<x/Up_(1984_film)>": 8,
    "<x/Up_(2009_film)>": 9,
    "<x/1917_(film)>": 10,
}


@pytest.fixture(scope="module")
def films() -> Catalogue:
    return Catalogue(_FILMS)


@pytest.mark.parametrize(
    ("prediction", "gold", "value", "rule"),
    [
        ("1. Water (1985)", "0", 1, "title-named"),
        ("1. Water (1985)", "1", 0, "title-named"),
        ("1. Water (1999)", "2", 1, "title-named"),
        ("1. Up (1999)", "9", 0, "no-title"),
        ("1. Up", "9", 1, "title-named"),
        ("1. Amelie (2002)", "6", 1, "title-named"),
        ("1. Amelie (2014 remake)", "6", 0, "no-title"),
        ("| Film | Year |\n|---|---|\n| **Up** | 2009 |", "9", 1, "title-named"),
        ("Sure, here you go:\n\n- *Amelie* (2001)", "6", 1, "title-named"),
        ("I have some.\n1) Time Travelers Wife", "7", 1, "title-named"),
        (
            "**\u201cThe Time Traveler\u2019s Wife\u201d** \u2013 moving",
            "7",
            1,
            "title-named",
        ),
        ("Monsters, Inc.", "5", 1, "title-named"),
        ("Toy Storey, and Up", "3", 1, "title-named"),
        ("1. Toy Story 4", "4", 0, "no-title"),
        ("1. 1917", "10", 1, "title-named"),
        ("| # | Film |\n|---|---|\n| 1917 | Toy Story |", "10", 0, "title-named"),
        ("I'd put on Toy Story first, and then Up.", "3", 1, "title-named"),
        ("1. Amelie or: How to be Happy", "6", 1, "title-named"),
        ("1. U.P. Marshals", "9", 0, "no-title"),
        ("1. Ups", "9", 0, "no-title"),
        ("1. Toys", "3", 0, "no-title"),
        ("", "3", 0, "no-answer"),
    ],
)
def test_first_recommendation(
    films: Catalogue, prediction: str, gold: str, value: float, rule: str
) -> None:
    scores = correct_recommendation(prediction, [gold], films, ks=(1,))
    assert scores == {"recsys_recall@1": Corrected(value, rule)}


def test_blanks_and_repetitions_take_no_place_but_unknown_titles_do(films: Catalogue) -> None:
    blanks = "My list:\n1. Toy Story\n\n2. Toy Storey\n\n3. Toy Story 3"
    unknown = "1. Nobody Knows This\n1. Nobody knows this!\n2. Toy Story 3"
    for prediction in (blanks, unknown):
        scores = correct_recommendation(prediction, ["4"], films)
        assert [score.value for score in scores.values()] == [0, 1, 1]
        assert correct_recommendation(prediction, ["4"], films, ks=(2,))["recsys_recall@2"].value


def test_unknown_golds_stay_in_the_denominator(films: Catalogue) -> None:
    scores = correct_recommendation("1. Toy Story", ["3", "nobody", "99"], films, ks=(1,))
    assert scores["recsys_recall@1"].value == pytest.approx(1 / 3)
