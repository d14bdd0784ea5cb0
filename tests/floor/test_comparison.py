"""Which of two that a question offers is meant: always one of them."""

import pytest

from mabench_floor.qa.comparison import offer_in
from mabench_floor.qa.search import Search
from mabench_floor.sentences import sentences_in
from tests.floor.informed import informed, reply

OFFERED = [
    "Which firm was founded in Vallada, {} or {}?",
    "Which of {} and {} was founded in Vallada?",
    "Of {} and {}, which was founded in Vallada?",
    "Between {} and {}, which was founded in Vallada?",
    "Which firm, {} or {}, was founded in Vallada?",
    "Was {} or {} founded in Vallada?",
    "Which was founded in Vallada: {} or {}?",
    "Which firm is older {} or {}?",
]
FIRMS = """Document 1:
Tarn Mills
Tarn Mills is a weaving firm. It was founded in 1890 in the state of Vallada by the widow Ida Penn.

Document 2:
Ness & Sons
Ness & Sons is a maker of clocks. It was founded in 1920 in Nordmark by the watchmaker Ole Ness.

Document 3:
Ida Penn
Ida Penn was born in Vallada in 1850 and founded a school of weaving for girls there."""


@pytest.mark.parametrize("form", OFFERED)
def test_a_question_that_offers_two_is_answered_with_the_one_that_the_history_tells_for(
    form: str,
) -> None:
    agent = informed([FIRMS])
    assert reply(agent, form.format("Tarn Mills", "Ness & Sons")) == "Tarn Mills"
    assert reply(agent, form.format("Ness & Sons", "Tarn Mills")) == "Tarn Mills"


@pytest.mark.parametrize("form", OFFERED)
def test_what_a_history_does_not_tell_is_answered_with_one_of_the_two(form: str) -> None:
    answer = reply(informed([FIRMS]), form.format("Alba Press", "Korr Bank"))
    assert answer in ("Alba Press", "Korr Bank")


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote the book or play that Ann Lee liked?",
        "Which novel was adapted by Ann Lee or Bo Ek?",
        "She holds a degree called MS, M.S., or ScM, in what field?",
        "What is the name of the bridge, tunnel or ferry that links Ness and Tarn?",
        "Who is the wife or husband of Tor Vance?",
        "In which month or year was the mill built?",
    ],
)
def test_words_joined_by_or_are_no_offer_where_something_else_is_asked(question: str) -> None:
    assert offer_in(question) is None


BRIDGES = """Document 1:
Dun Bridge
Dun Bridge is 412 metres long and was opened in 1934.

Document 2:
Lisk Bridge
Lisk Bridge is 1,180 metres long and was opened in 1971.

Document 3:
Ann Lee
Ann Lee (1871 - 1940) was a chess master.

Document 4:
Bo Ek
Bo Ek (1880 - 1933) was a chess master."""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which bridge is longer, Dun Bridge or Lisk Bridge?", "Lisk Bridge"),
        ("Which bridge is shorter, Dun Bridge or Lisk Bridge?", "Dun Bridge"),
        ("Who lived longer, Bo Ek or Ann Lee?", "Ann Lee"),
        ("Are Ann Lee and Bo Ek both chess masters?", "yes"),
    ],
)
def test_amounts_and_lives_are_compared(question: str, answer: str) -> None:
    assert reply(informed([BRIDGES]), question) == answer


def test_a_history_says_what_names_are() -> None:
    text = (
        "Senn (founded 1200) is a small town in Morrow.\n\n"
        "The poet Ada Holt lived near the river Teal."
    )
    search = Search(sentences_in(text))
    kinds = {name: search.use_of(name).kinds for name in ("Senn", "Ada Holt", "Teal", "Morrow")}
    assert kinds == {"Senn": {"town"}, "Ada Holt": {"poet"}, "Teal": {"river"}, "Morrow": set()}
