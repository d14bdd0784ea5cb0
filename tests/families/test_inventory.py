"""Every family of the inventory is whole: nothing that the rest of mabench asks for is missing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.data.inventory import SOURCES
from mabench.families import FAMILIES, Family, Prompts, ProtocolName, ScoringInput, family_of
from mabench.scoring import Catalogue
from mabench_synthetic import GENERATORS

FILMS = Catalogue({"<http://dbpedia.org/resource/Heat_(1995_film)>": 7})
CASE = ScoringInput("Heat", ["7"], "Which film?\nA. Heat\nB. Up", FILMS)


def test_the_inventory_has_all_families_and_no_other() -> None:
    assert {source.family for source in SOURCES} == set(FAMILIES)
    assert all(family_of(source).name == source.family for source in SOURCES)
    checks = {check for family in FAMILIES.values() for check in family.audit_checks}
    assert len({check.reason for check in checks}) == len(checks)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_a_family_is_complete(family: Family) -> None:
    assert "{question}" in family.prompts["answer"]
    assert "{chunk}" in Prompts.load().templates[family.name]["memorize"]
    assert set(family.budgets) == set(ProtocolName)
    assert all(tokens > 0 for budget in family.budgets.values() for tokens in budget)
    assert "".join(family.units("One.\n\nTwo.")) == "One.\n\nTwo."
    assert family.ideal(CASE)
    assert family.official(CASE)
    assert family.metric.startswith("judge_") == bool(family.rubric and family.rubric.templates)
    without = CASE._replace(catalogue=None)
    assert bool(family.official(without)) is not family.needs_entities
    assert family.name in GENERATORS


def test_only_answers_taken_from_the_history_are_looked_for_in_passages() -> None:
    for answers in (["Rome"], ["No."], ["no", "Norway"]):
        sought = {name for name, one in FAMILIES.items() if one.gold_in_text(answers)}
        # A verdict of ruler stands in no passage.
        assert sought == {"factconsolidation", *["ruler"] * (answers != ["No."])}
    judged = [name for name, family in FAMILIES.items() if family.rubric]
    assert judged == ["longmemeval", "infbench"]  # Those that the paper judges.


CONTEXTS = {
    "factconsolidation": [
        *("Here is a list of facts:\n", "0. Ann owns a cat.\n", "1. Bo Jr. owns a dog.\n")
    ],
    "ruler": ["Document 1:\nOne.\n\nMore of one.\n\n", "Document 2:\nTwo."],
    "icl": ["I lost my card\nlabel: 7\n\n", "A text\nin two lines\nlabel: 12"],
    "recsys": ["Dialogue 1:\nSystem: Hi\nUser: Hello\n\n", "Dialogue 2:\nUser: Hi"],
    "longmemeval": [
        "[",
        "'Chat Time: 2022/11/17 (Thu) 12:04', [{'role': 'user', 'content': \"It's ['late']\", "
        "'has_answer': True}], ",
        "'Chat Time: 2022/11/18 (Fri) 09:00', [{'role': 'user', "
        "'content': 'Chat Time: now', 'has_answer': False}]]",
    ],
    "eventqa": ["One. Two.\n\n", "Three.\n\n\n", "Four."],
    "infbench": ["One.\r\n\r\n", "Two."],
    "detective": ["One.\n \n", "Two."],
}


def test_units_are_what_may_not_be_cut() -> None:
    assert CONTEXTS.keys() == FAMILIES.keys()
    for name, units in CONTEXTS.items():
        assert FAMILIES[name].units("".join(units)) == units
    # Sessions in plain text begin at their dates.
    context = "Chat Time: 2022/11/17 (Thu) 12:04\nuser: Hi\n\nChat Time: 2022/11/18\nuser: Yes"
    assert len(FAMILIES["longmemeval"].units(context)) == 2


@pytest.mark.parametrize("family", CONTEXTS)
@given(context=st.text(alphabet=st.sampled_from("a'\"[]{}\\\n\r .:1Dlabel")) | st.text())
def test_the_units_of_any_text_give_it_back(family: str, context: str) -> None:
    units = FAMILIES[family].units(context)
    assert "".join(units) == context
    assert all(units)
