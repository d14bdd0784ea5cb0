import math
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import mabench
from mabench.agents.memories import BM25Memory
from mabench.errors import UsageError
from mabench.families import Prompts, family_of, search_query
from mabench.injection import protocol_named
from mabench.scoring import normalize

TEXTS = [
    "The lighthouse of Brindle was painted red.",
    "Two ferries cross the bay of Ostermund.",
    "Brindle has no ferry, only a lighthouse keeper and his lighthouse.",
]


def stored(texts: list[str], recipe: str = "mabench") -> BM25Memory:
    memory = BM25Memory(recipe)
    for text in texts:
        memory.add(text)
    return memory


def found(memory: BM25Memory, query: str, k: int = 10) -> list[str]:
    return [passage.text for passage in memory.search(query, k)]


def test_the_text_that_shares_rare_words_comes_first() -> None:
    memory = stored([*TEXTS, "Das Café."])
    assert found(memory, "painted lighthouse", 1) == TEXTS[:1]
    # By their stem, and without case or accents.
    assert found(memory, "FERRY crossing", 1) == found(memory, "bay", 1) == TEXTS[1:2]
    assert found(memory, "cafe", 1) == ["Das Café."]
    memory.add("A windmill stands on the hill.")
    assert found(memory, "windmill", 1) == ["A windmill stands on the hill."]


def test_scores_fall_and_equal_ones_keep_the_order_of_addition() -> None:
    scores = [passage.score for passage in stored(TEXTS).search("lighthouse", 3)]
    assert scores[0] is not None
    assert scores == sorted(scores, key=lambda score: -(score or 0))
    assert (scores[0] > 0, scores[2]) == (True, 0)
    texts = [f"Ship number {number} sails." for number in range(50)]
    assert found(stored(texts), "ships", 50) == texts
    for query in ("", "   ", "?!", "the of and", "xylophone quux"):
        assert found(stored(TEXTS), query, 2) == TEXTS[:2]
    assert found(stored(["", "...", "the"]), "lighthouse", 3) == ["", "...", "the"]
    assert found(stored(["", "lighthouse"]), "lighthouse", 1) == ["lighthouse"]


@settings(max_examples=50, deadline=None)
@example(["lighthouse"], "lighthouse", -1)
@given(st.lists(st.text(max_size=30), max_size=8), st.text(max_size=30), st.integers(0, 10))
def test_any_texts_and_query_work_the_same_each_time(texts: list[str], query: str, k: int) -> None:
    passages = stored(texts).search(query, k)
    assert passages == stored(texts).search(query, k)
    assert len(passages) == max(0, min(k, len(texts)))
    assert sorted(p.text for p in stored(texts).search(query, 8)) == sorted(texts)


def test_it_tells_how_much_it_holds_and_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    assert BM25Memory().stats() == {"memories": 0, "bytes": 0}
    assert stored(["Café.", "", "\ud800"]).stats() == {"memories": 3, "bytes": 6 + 3}
    found(stored(TEXTS), "lighthouse")
    assert capfd.readouterr() == ("", "")
    with pytest.raises(UsageError, match="recipe=lucene: there are mabench, published"):
        BM25Memory(recipe="lucene")


def test_twenty_thousand_texts_are_searched_in_seconds() -> None:
    words = [f"word{number}" for number in range(5000)]
    texts = [" ".join(words[(i * j * j) % 5000] for j in range(1, 13)) for i in range(20_000)]
    start = time.process_time()
    memory = stored(texts)
    for number in range(100):
        found(memory, f"word{number} word{number * 7} word{number * 31}")
    assert time.process_time() - start < 10  # About 0.5 s on an idle machine.


def by_hand(texts: list[str], query: str) -> list[float]:
    """Return the score of each text: Okapi's sum, with the floor of common words."""
    documents = [text.split() for text in texts]
    mean_length = sum(map(len, documents)) / len(documents)
    vocabulary = {word for document in documents for word in document}
    weight = {}
    for word in vocabulary:
        holding = sum(word in document for document in documents)
        weight[word] = math.log((len(texts) - holding + 0.5) / (holding + 0.5))
    floor = 0.25 * sum(weight.values()) / len(weight) if weight else 0.0
    weight = {word: floor if value < 0 else value for word, value in weight.items()}
    scores = []
    for document in documents:
        score = 0.0
        for word in query.split():
            often = document.count(word)
            damping = 1.5 * (1 - 0.75 + 0.75 * len(document) / mean_length) if often else 1.0
            score += weight.get(word, 0.0) * often * 2.5 / (often + damping)
        scores.append(score)
    return scores


_WORDS = st.sampled_from(["lamp", "Lamp", "lamp.", "lamps", "the", "of", "sea", "x-y", "é"])
_TEXTS = st.lists(_WORDS, max_size=12).map(" ".join)


@settings(max_examples=50, deadline=None)
@given(st.lists(_TEXTS, min_size=1, max_size=9), _TEXTS)
def test_scores_are_those_of_the_formula(texts: list[str], query: str) -> None:
    numbered = [f"{text} #{number}" for number, text in enumerate(texts)]
    expected = dict(zip(numbered, by_hand(numbered, query), strict=True))
    ranking = stored(numbered, "published").search(query, 10)
    assert {passage.text: passage.score for passage in ranking} == pytest.approx(expected)
    values = [passage.score or 0 for passage in ranking]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("texts", [["one", "two", "three"], [], [""], ["", " \n"]])
def test_by_the_published_recipe_the_later_of_equal_texts_comes_first(texts: list[str]) -> None:
    passages = stored(texts, "published").search("nothing", 10)
    assert [(passage.text, passage.score) for passage in passages] == [
        (text, 0.0) for text in reversed(texts)
    ]


def test_on_real_questions_it_finds_what_the_published_one_finds(real_data: Path) -> None:
    """The gold is in the top 10 for 66 of 100 questions with theirs, for 97 with ours."""
    pytest.importorskip("tiktoken", reason="the published chunker takes the extra 'paper'")
    prompts = Prompts.load(Path("paper"))
    (row,) = mabench.load(str(real_data / "mab-dev")).rows(["ruler_qa1_197K"])
    chunks = protocol_named("paper").chunks(family_of(row.source), row.context)
    shares = {}
    for recipe in ("published", "mabench"):
        memory = stored([prompts.tell("ruler", chunk) for chunk in filter(None, chunks)], recipe)
        shares[recipe] = 0
        for question in row.flatten():
            searched = search_query(prompts.ask("ruler", question.question))
            texts = [normalize(passage.text) for passage in memory.search(searched, 10)]
            golds = {normalize(answer) for answer in question.answers}
            shares[recipe] += any(gold in text for text in texts for gold in golds)
    # The time of day stands in each chunk, so that a question at the edge may go either way.
    assert shares["published"] == pytest.approx(66, abs=2)
    assert shares["mabench"] == pytest.approx(97, abs=1)
