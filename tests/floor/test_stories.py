"""Stories: what happens next, which option the text supports, and summaries."""

from random import Random

import pytest

from mabench.text import estimate_tokens, sentences
from tests.floor.informed import cut, flat, informed, reply
from tests.synthetic.small import small

THINGS = (
    *("anvil", "barrel", "candle", "drum", "easel", "fiddle"),
    *("goblet", "hammer", "inkpot", "jug", "kite", "ladle"),
)
PEOPLE = ("Aldous", "Brenna", "Corwin", "Dagny", "Edda", "Falk")


def event(number: int) -> str:
    person, thing = PEOPLE[number % 6], THINGS[number % 12]
    return f"{person} carried the {thing} past gate {number} at last"


def story() -> str:
    rng = Random(3)
    weather = ("Rain fell.", "The wind turned.", "Dogs barked far away.", "It grew late.")
    return "\n\n".join(
        f"{rng.choice(weather)} {event(n)}. {rng.choice(weather)} Nobody spoke of it."
        for n in range(48)
    )


def what_next(told: list[int], options: list[str]) -> str:
    listed = "\n".join(f"{i}. {event(n)}." for i, n in enumerate(told, start=1))
    return f"So far:\n\n{listed}\n\nWhich of these is next?\n\n{options!r}\n\nGive only the event."


@pytest.mark.parametrize("text", [story(), flat(story())])
def test_the_option_soonest_after_the_events_told_is_chosen(text: str) -> None:
    agent = informed(cut(text, 400))
    for at in range(4, 40, 5):
        earlier, later = event((at + 24) % 48), event((at + 14) % 48)
        options = [later, event(at + 1), earlier]
        assert reply(agent, what_next([at - 3, at - 1, at], options)) == options[1]


def test_options_that_are_not_in_the_text_lose() -> None:
    agent = informed([story()])
    made_up = ["Brenna carried a zeppelin over the moat", "Edda painted a walrus", "Falk sang"]
    options = [*made_up, event(21)]
    assert reply(agent, what_next([18, 19, 20], options)) == event(21)


def test_an_option_that_adds_what_is_nowhere_told_loses() -> None:
    agent = informed([story()])
    for at in range(20, 40, 3):
        options = [f"{event(at)} beneath seven purple zebras", event(at)]
        assert reply(agent, what_next([at - 3, at - 2, at - 1], options)) == options[1]


def test_generated_stories_are_continued_well_above_chance() -> None:
    rows = [row for n in range(3) for row in small(50 + n).rows if row.source.startswith("eventqa")]
    right = asked = 0
    for row in rows:
        agent = informed(cut(flat(row.context), 8000))
        for question, [gold] in zip(row.questions, row.answers, strict=True):
            right += reply(agent, question) == gold
            asked += 1
    assert right >= 0.35 * asked  # One in six by chance.


CASE = """The inspector thought of the gardener first. The gardener had a key to the vault.
Everybody spoke of the gardener that week.

At dinner Mrs. Holloway wore a green shawl. The vicar told a story about eels.

In the end a thread of green wool was found in the vault. Mrs. Holloway confessed that she had
opened the vault with a copied key."""
OPTIONS = "A. The gardener\nB. The vicar\nC. Mrs. Holloway\nD. The inspector"


@pytest.mark.parametrize("text", [CASE, flat(CASE)])
def test_late_evidence_near_the_words_of_the_question_decides(text: str) -> None:
    assert reply(informed([text]), f"Who opened the vault?\n{OPTIONS}") == "C. Mrs. Holloway"
    assert reply(informed([text]), f"Who told a story?\n{OPTIONS}") == "B. The vicar"


def test_of_two_claims_alike_the_later_counts() -> None:
    text = "The groom hid the vase. Rain fell all day. The cook hid the vase."
    assert reply(informed([text]), "Who hid the vase?\nA. The groom\nB. The cook") == "B. The cook"


def test_what_all_options_share_supports_none_of_them() -> None:
    question = "What was it?\nA. Tin from the crate\nB. Rope from the crate"
    text = "Rope lay there. Nobody came. A crate stood by."
    assert reply(informed([text]), question) == "B. Rope from the crate"


def test_an_option_is_guessed_where_the_text_supports_none() -> None:
    agent = informed(["Nothing of the kind."])
    answers = {reply(agent, f"Case {n}?\n['alpha', 'omega']") for n in range(20)}
    assert answers == {"alpha", "omega"}
    assert reply(informed([]), "Which?\n1. It rained.\n['alpha', 'omega']") in {"alpha", "omega"}


def chapters(count: int) -> str:
    rng = Random(8)
    acts = ("crossed the river", "sold the mare", "wrote to the bishop", "mended the old roof")
    return "\n\n".join(
        f"Dust lay on the road to mill {n} again. "
        f"Orla Finch {rng.choice(acts)} with Captain Bray at stage {n} there. It was noon."
        for n in range(count)
    )


def summary(text: str, task: str, max_tokens: int = 1200) -> str:
    return reply(informed([text]), task, max_tokens)


@pytest.mark.parametrize("text", [chapters(400), flat(chapters(400))])
@pytest.mark.parametrize(
    ("task", "least", "most"),
    [
        ("Summarize the book in about 200 to 300 words.", 250, 300),
        ("Write a summary of 120 words.", 90, 120),
        ("Write a summary.", 500, 1200),
    ],
)
def test_a_summary_has_the_length_asked_for_and_runs_from_beginning_to_end(
    text: str, task: str, least: int, most: int
) -> None:
    told = summary(text, task)
    assert least <= len(told.split()) <= most
    assert estimate_tokens(told) <= 1200
    pieces = [piece.strip() for piece in sentences(told)]
    places = [flat(text).index(piece) for piece in pieces]
    assert places == sorted(places)
    assert places[0] < len(text) / 8
    assert places[-1] > len(text) * 7 / 8


def test_a_summary_is_told_of_the_main_characters() -> None:
    assert summary(chapters(100), "Summarize it in 150 words.").count("Orla Finch") > 5


def test_no_sentence_of_a_summary_is_endless() -> None:
    endless = "Orla Finch and Captain Bray " + "went on and " * 20 + "on."
    text = chapters(100).replace("It was noon.", f"{endless} It was noon.")
    assert "went on" not in summary(text, "Summarize it in 150 words.")


def test_the_budget_bounds_a_summary_that_is_asked_to_be_longer() -> None:
    told = summary(chapters(400), "Summarize the book in 5,000 words.", max_tokens=400)
    assert 300 < estimate_tokens(told) <= 400


def test_a_history_of_one_endless_sentence_still_gets_an_answer() -> None:
    assert summary("word " * 5000, "Summarize it.", 300)
