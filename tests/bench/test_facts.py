"""Invented facts are the same for a seed, and any text shows which of them it holds."""

from itertools import combinations

from mabench.bench.facts import Facts
from mabench.bench.matching import normalize
from mabench.bench.versioned_facts import VersionedFacts


def test_the_same_seed_gives_the_same_facts_and_no_gold_is_in_another_text() -> None:
    first, again, other = (Facts(seed).take(40) for seed in ("a", "a", "b"))
    assert first == again != other
    for one, two in combinations(first, 2):
        assert one.gold not in two.text
        assert two.gold not in one.text
    assert all(fact.gold in fact.text and fact.gold not in fact.question for fact in first)


def test_a_text_shows_its_facts_and_versions() -> None:
    facts = VersionedFacts("seed")
    both = facts.text(3, 1) + facts.text(0, 2).upper()
    assert facts.versions_in(both) == {(3, 1), (0, 2)}
    assert facts.versions_in(facts.query(3)) == set()
    assert facts.versions_in(facts.query(3, 1)) == {(3, 1)}
    assert facts.value(0, facts.VERSIONS) == facts.value(0, 0)
    assert len(facts.text(3)) > 2 * len(facts.text(2))  # Every fourth is long.


def test_records_of_a_sentence_are_counted_by_their_text() -> None:
    facts = VersionedFacts("seed")
    text = facts.text(0)
    records = facts.count_records(0, 0, [text, text.upper(), f"[1] {text}", facts.text(1)])
    assert sorted(records.values()) == [1, 2]


def test_composition_case_and_spacing_make_no_difference() -> None:
    assert normalize("Cafe\u0301\n AU  lait") == normalize("café au lait")
