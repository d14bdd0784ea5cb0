"""The published BM25 against the formula, word by word."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mabench
from mabench.agents.memories.bm25 import BM25Memory
from mabench.errors import UsageError
from mabench.families import family_of, load_prompts, search_query
from mabench.injection import protocol_named
from mabench.scoring import normalize


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


def found(texts: list[str], query: str, k: int = 10) -> list[tuple[str, float]]:
    memory = BM25Memory(recipe="published")
    for text in texts:
        memory.add(text)
    return [(passage.text, passage.score or 0.0) for passage in memory.search(query, k)]


_WORDS = st.sampled_from(["lamp", "Lamp", "lamp.", "lamps", "the", "of", "sea", "x-y", "é"])
_TEXTS = st.lists(_WORDS, max_size=12).map(" ".join)


@settings(max_examples=50, deadline=None)
@given(st.lists(_TEXTS, min_size=1, max_size=9), _TEXTS)
def test_scores_are_those_of_the_formula(texts: list[str], query: str) -> None:
    numbered = [f"{text} #{number}" for number, text in enumerate(texts)]
    expected = dict(zip(numbered, by_hand(numbered, query), strict=True))
    ranking = found(numbered, query)
    assert dict(ranking) == pytest.approx(expected)
    values = [score for _, score in ranking]
    assert values == sorted(values, reverse=True)


def test_case_endings_and_punctuation_are_kept_apart() -> None:
    texts = ["a Lamp burns", "the lamps burn", "lamp. Off", "one lamp here", "sea", "sand", "salt"]
    ranking = dict(found(texts, "lamp"))
    assert ranking["one lamp here"] > 0
    assert all(score == 0 for text, score in ranking.items() if text != "one lamp here")
    ours = BM25Memory()
    for text in texts:
        ours.add(text)
    assert sum((passage.score or 0) > 0 for passage in ours.search("lamp", 10)) == 4


def test_of_equal_scores_the_later_text_comes_first() -> None:
    assert [text for text, _ in found(["one", "two", "three"], "nothing")] == [
        "three",
        "two",
        "one",
    ]


@pytest.mark.parametrize("texts", [[], [""], ["", " \n"]])
def test_texts_without_words_are_found_with_nothing(texts: list[str]) -> None:
    assert found(texts, "lamp") == [(text, 0.0) for text in reversed(texts)]


def test_another_recipe_is_refused() -> None:
    with pytest.raises(UsageError, match="recipe=lucene: there are mabench, published"):
        BM25Memory(recipe="lucene")


def test_on_real_questions_it_finds_what_the_published_one_finds(real_data: Path) -> None:
    """The gold is in the top 10 for 66 of 100 questions with theirs, for 97 with ours."""
    pytest.importorskip("tiktoken", reason="the published chunker takes the extra 'paper'")
    prompts = load_prompts(Path("paper"))
    (row,) = mabench.load(str(real_data / "mab-dev")).rows(["ruler_qa1_197K"])
    chunks = protocol_named("paper").chunks(family_of(row.source), row.context)
    shares = {}
    for recipe in ("published", "mabench"):
        memory = BM25Memory(recipe)
        for chunk in filter(None, chunks):
            memory.add(prompts.tell("ruler", chunk))
        shares[recipe] = 0
        for question in row.flatten():
            searched = search_query(prompts.ask("ruler", question.question))
            texts = [normalize(passage.text) for passage in memory.search(searched, 10)]
            golds = {normalize(answer) for answer in question.answers}
            shares[recipe] += any(gold in text for text in texts for gold in golds)
    # The time of day stands in each chunk, so that a question at the edge may go either way.
    assert shares["published"] == pytest.approx(66, abs=2)
    assert shares["mabench"] == pytest.approx(97, abs=1)
