from collections.abc import Callable, Sequence
from statistics import fmean

import pytest

from mabench_synthetic import make_rows, row_specs
from tests.floor.informed import TEXTS, WAYS, in_lines, told

Way = Callable[[str], list[str]]


def numbered(*statements: str) -> str:
    lines = (f"{serial}. {statement}\n" for serial, statement in enumerate(statements))
    return "Facts follow:\n" + "".join(lines)


def answered(
    source: str, tokens: int, seeds: Sequence[int], way: Way = in_lines, **knobs: float
) -> float:
    """Return the percentage of right answers about made-up rows that ask in a relation's words."""
    specs = [
        spec
        for seed in seeds
        for spec in row_specs(
            source, seed, rows=1, tokens=tokens, questions=60, knobs={"paraphrase": 0} | knobs
        )
    ]
    replies = [(told(way(row.context)), row) for row in make_rows(specs)]
    return 100 * fmean(
        gold.removeprefix("the ") in reply(question)
        for reply, row in replies
        for question, (gold,) in zip(row.questions, row.answers, strict=True)
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("hops", ["sh", "mh"])
def test_relations_never_seen_before_are_learnt(way: Way, hops: str) -> None:
    assert answered(f"factconsolidation_{hops}_262k", 8_000, (12, 14), way) >= 95


def test_a_relation_that_is_asked_for_in_other_words_may_be_a_hop() -> None:
    assert answered("factconsolidation_mh_262k", 12_000, range(310, 313), paraphrase=1) >= 80


@pytest.mark.slow
@pytest.mark.parametrize("hops", [2, 4])
def test_chains_hold_among_thousands_of_facts(hops: int) -> None:
    # In some of these, two relations of the same kinds share many names by chance.
    assert answered("factconsolidation_mh_262k", 262_000, range(20, 24), fewest_hops=hops) >= 96


CREWS: list[str] = TEXTS["crews"]
GUARDED_FOR_DEE = "Who guards the harbour of the place under whose flag Dee Ross sails?"


@pytest.mark.parametrize("way", WAYS)
def test_the_newest_facts_count_whatever_is_told_last(way: Way) -> None:
    facts = numbered(*CREWS, "Bo Marsh sails under the flag of Tarn.")
    first, *others = facts.splitlines()
    for chunks in (way(facts), [first, "\n".join(others[6:]), "\n".join(others[:6])]):
        assert told(chunks)("Under which flag does Bo Marsh sail?") == "Tarn"
    reply = told(way(numbered(*CREWS, "Dee Ross sails under the flag of Westmark.")))
    assert reply(GUARDED_FOR_DEE) == "Ada Finch"
    # Where these lead nowhere an older one is followed.
    reply = told(way(numbered(*CREWS, "Dee Ross sails under the flag of Farley.")))
    assert reply("Under which flag does Dee Ross sail?") == "Farley"
    assert reply(GUARDED_FOR_DEE) == "Eli Stone"


def test_a_relation_is_followed_back_and_what_no_fact_tells_is_looked_up() -> None:
    reply = told([numbered(*CREWS, "Zoë Łuk sails under the flag of Tärn.")])
    assert reply("The harbour of which place is guarded by Ada Finch?") == "Westmark"
    assert reply("What is the airspeed of an unladen swallow?")
    assert reply("under which flag does zoe łuk sail?") == "Tärn"
    lines = numbered(*CREWS).splitlines()  # A part of the list may be missing.
    reply = told(["\n".join(lines[:4]), "\n".join(lines[6:])])
    assert reply("Who guards the harbour of Norrow?") == "Flo Birch"


def test_names_may_hold_small_words_commas_and_possessives() -> None:
    facts = [
        "Ann's Ode to the Sea was set to music by Lord Ash, Earl of the Fens.",
        "The Cat and the Moon was set to music by Vasco da Gama.",
        "A Song of Wine was set to music by Ludo van der Meer.",
        "Night, Again was set to music by Lord Ash, Earl of the Fens.",
        "Owl's Lament was set to music by The Who.",
        "Lord Ash, Earl of the Fens plays the bass viol.",
        "Vasco da Gama plays the church organ.",
        "Ludo van der Meer plays the bass viol.",
        "The Who plays the lute.",
    ]
    reply = told([numbered(*facts)])
    for title in ("Night, Again", "Ann's Ode to the Sea"):
        assert reply(f"Who set {title} to music?") == "Lord Ash, Earl of the Fens"
    assert reply("Who set Owl's Lament to music?").removeprefix("The ") == "Who"
    question = "What does the person who set The Cat and the Moon to music play?"
    assert reply(question) == "church organ"


KEEPERS = ("Ada Finch", "Bo Marsh", "Cy Holt", "Dee Ross", "Eli Stone", "Flo Birch")
RULERS = ("Gil Penn", "Hal Voss", "Ivy Thorn", "Jon Pike", "Kit Moor", "Lea Nash")
TOWNS = ("Orland", "Westmark", "Tarn", "Norrow", "Farley", "Upham")
LANDS = ("Brandt", "Dorn", "Brandt", "Farn", "Dorn", "Farn")
INNS = ("Golden Hind", "Grey Gull", "Blue Boar", "Red Rose", "White Wren", "Black Bull")


def inns() -> Callable[..., str]:
    """Tell who keeps which inn, where each keeper died, and where these towns are."""
    forms = (
        ("The keeper of the {} is {}.", INNS, KEEPERS),
        ("{} died in the town of {}.", KEEPERS, TOWNS),
        ("{} is located on the island of {}.", TOWNS, LANDS),
        ("{} came from the country of {}.", KEEPERS, LANDS),
        ("The head of government in {} is {}.", LANDS, RULERS),
        ("The head of state in {} is {}.", LANDS, RULERS[::-1]),
    )
    facts = [form.format(*pair) for form, *two in forms for pair in zip(*two, strict=True)]
    return told([numbered(*facts)])


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        # Where something is asks for a place, no more and no less.
        ("What was the place of death of the keeper of the Red Rose?", "Norrow"),
        ("In which location did the keeper of the Red Rose die?", "Norrow"),
        ("Where is the keeper of the Red Rose buried?", "Norrow"),
        # A state is a country, too; yet it tells the head of state from the head of government.
        (
            "Who is the head of state of the country that the keeper of the Red Rose came from?",
            "Gil Penn",
        ),
    ],
)
def test_a_question_is_followed_as_far_as_its_words_go(question: str, answer: str) -> None:
    assert inns()(question) == answer


def test_a_phrase_that_opens_a_question_is_read_as_one_anywhere_else() -> None:
    """What stands before its first word is nothing, not the last word of the question."""
    reply = told([numbered(*CREWS, "Ada Finch sails under the flag of Farley.")])
    question = "Guards of the harbour of Westmark sail under the flag of what, and of {}"
    assert reply(question.format("which")) == reply(question.format("it"))
