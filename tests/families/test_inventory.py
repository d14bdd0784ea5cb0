"""Every family of the inventory is whole: nothing that the rest of mabench asks for is missing."""

from __future__ import annotations

import pytest

from mabench.data.inventory import SOURCES
from mabench.families import FAMILIES, Family, Prompts, ProtocolName, ScoringInput, family_of
from mabench.scoring import Catalogue
from mabench_synthetic import GENERATORS

FILMS = Catalogue({"<http://dbpedia.org/resource/Heat_(1995_film)>": 7})
CASE = ScoringInput("Heat", ["7"], "Which film?\nA. Heat\nB. Up", FILMS)


def test_the_inventory_has_all_families_and_no_other() -> None:
    assert {source.family for source in SOURCES} == set(FAMILIES)
    assert all(family_of(source).name == source.family for source in SOURCES)


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


def test_reasons_of_the_audit_name_one_check_each() -> None:
    checks = {check for family in FAMILIES.values() for check in family.audit_checks}
    assert len({check.reason for check in checks}) == len(checks)


def test_only_answers_taken_from_the_history_are_looked_for_in_passages() -> None:
    looked_for = {name for name, family in FAMILIES.items() if family.gold_in_text(["Rome"])}
    assert looked_for == {"ruler", "factconsolidation"}


@pytest.mark.parametrize(
    ("answers", "looked_for"),
    [(["yes"], False), (["No."], False), (["no", "Norway"], True), (["yes, Rome"], True)],
)
def test_a_verdict_of_ruler_stands_in_no_passage(answers: list[str], looked_for: bool) -> None:
    assert FAMILIES["ruler"].gold_in_text(answers) is looked_for
