"""Fits what each sign of a span counts for in the floor's answers from documents.

    make fit, or python -m tools.fit.reader [FILE]

Writes ``src/mabench_floor/qa/weights.json``, or FILE, always with the same bytes: a weight
for each sign, rounded to one decimal. The questions are 1,756 of our own, about the made-up
articles beside this file, and those of made-up rows. None is of a benchmark.
Each is asked twice: of all articles, and of the passages that ``bm25`` finds for it.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from mabench.text.stems import tokens
from mabench_floor.qa import evidence
from mabench_floor.qa.evidence import sightings
from mabench_floor.qa.skill import SearchSkill
from mabench_floor.skill import History
from mabench_memories.retrieval import BM25Memory
from mabench_synthetic import row_specs
from mabench_synthetic.scheme import synthetic_dataset

WEIGHTS = Path(evidence.__file__).with_name("weights.json")
_TITLED = "linked.txt"
# Our own articles, with titles above those that questions link: of a subject each, or eight of one.
_OWN = (("articles.txt", False), ("subjects.txt", False), (_TITLED, True))
_PLAIN = ((_TITLED, False),)  # Linked questions are asked where nothing has a title, too.
# Made-up rows; tests, benchmarks and the data sets of the command line use other seeds.
_SOURCES, _SEEDS = ("ruler_qa1_197K", "ruler_qa2_421K"), range(200, 206)
_TOKENS, _QUESTIONS = 32_000, 40
# 193 questions of two documents, asked twice, count as much as the 1,563 of one.
_LINKED = 4.0
_MADE_UP = 1.5  # What a question of a made-up row counts for beside one of our own.
_PASSAGE, _PASSAGES = 1_700, 10  # Characters of a passage at least, and passages found.
_PENALTY = 0.5  # Of the squared weights.


class Asked(NamedTuple):
    """A question, with what was learnt to answer it, its right answers and what it counts for."""

    skill: SearchSkill
    question: str
    golds: Sequence[str]
    worth: float


def main() -> None:
    """Fit the weights and write them."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else WEIGHTS
    path.write_text(json.dumps(fit(questions()), indent=1) + "\n", encoding="utf-8")


def questions() -> Iterator[Asked]:
    """Yield the questions to fit on, each of all documents and of the passages found for it."""
    for documents, asked in [_own(_OWN), _own(_PLAIN), *_made_up()]:
        whole = SearchSkill(History(("\n\n".join(documents),)))
        memory = BM25Memory()
        for passage in _passages(documents):
            memory.add(passage)
        for question, golds, worth in asked:
            texts = tuple(passage.text for passage in memory.search(question, _PASSAGES))
            yield Asked(whole, question, golds, worth)
            yield Asked(SearchSkill(History(texts, passages=True)), question, golds, worth)


# Documents, the questions about them with their right answers, and what each counts for.
Material = tuple[list[str], list[tuple[str, Sequence[str], float]]]


def _own(files: Sequence[tuple[str, bool]]) -> Material:
    texts: list[str] = []
    asked: list[tuple[str, Sequence[str], float]] = []
    for name, titled in files:
        articles = Path(__file__).with_name(name).read_text(encoding="utf-8").split("= ")[1:]
        for title, text, *lines in map(str.splitlines, articles):
            texts.append(f"{title}\n{text}" if titled else text)
            for line in lines:
                question, _, golds = line.removeprefix("? ").partition(" | ")
                asked.append((question, golds.split(" / "), _LINKED if name == _TITLED else 1.0))
    random.Random(1).shuffle(texts)  # noqa: S311 Articles on a subject stand apart.
    return [f"Document {n}:\n{text}" for n, text in enumerate(texts, start=1)], asked


def _made_up() -> Iterator[Material]:
    for seed, source in product(_SEEDS, _SOURCES):
        specs = row_specs(source, seed, tokens=_TOKENS, rows=1, questions=_QUESTIONS)
        [row] = synthetic_dataset("fit", specs).rows()
        documents = re.split(r"\n\n(?=Document \d+:)", row.context)
        pairs = zip(row.questions, row.answers, strict=True)
        yield documents, [(question, golds, _MADE_UP) for question, golds in pairs]


def _passages(documents: Sequence[str]) -> Iterator[str]:
    passage: list[str] = []
    for document in documents:
        passage.append(document)
        if sum(map(len, passage)) >= _PASSAGE:
            yield "\n\n".join(passage)
            passage = []
    if passage:
        yield "\n\n".join(passage)


def fit(asked: Iterable[Asked]) -> dict[str, float]:
    """Return the weights that make the right answers likeliest: a softmax over all spans.

    Questions of which no span is a right answer teach nothing.
    """
    signs: list[dict[str, float]] = []
    right: list[bool] = []
    starts: list[int] = []
    worth: list[float] = []
    for each in asked:
        spans = list(_weighed(each))
        if any(is_right for _, is_right in spans):
            starts.append(len(signs))
            worth.append(each.worth)
            signs += [own for own, _ in spans]
            right += [is_right for _, is_right in spans]
    names = sorted({name for own in signs for name, value in own.items() if value})
    columns = {name: column for column, name in enumerate(names)}
    ends = np.cumsum([0, *(sum(map(bool, own.values())) for own in signs)])
    entries = [(columns[n], value) for own in signs for n, value in own.items() if value]
    places, values = zip(*entries, strict=True)
    matrix = csr_matrix((values, places, ends), (len(signs), len(names)))
    groups = np.repeat(np.arange(len(starts)), np.diff([*starts, len(signs)]))

    def loss(weights: Any) -> tuple[float, Any]:
        scores = matrix @ weights
        odds = np.exp(scores - np.maximum.reduceat(scores, starts)[groups])
        every, good = np.add.reduceat(odds, starts), np.add.reduceat(odds * right, starts)
        wrong = (odds / every[groups] - odds * right / good[groups]) * np.array(worth)[groups]
        value = worth @ (np.log(every) - np.log(good)) + _PENALTY / 2 * weights @ weights
        return value, matrix.T @ wrong + _PENALTY * weights

    options = {"maxiter": 5_000, "ftol": 1e-15, "gtol": 1e-7}
    start = np.zeros(len(names))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options=options).x
    rounded = {name: round(float(weight), 1) for name, weight in zip(names, found, strict=True)}
    return {name: weight for name, weight in rounded.items() if weight}


def _weighed(asked: Asked) -> Iterator[tuple[dict[str, float], bool]]:
    """Yield the signs of each span that may answer, and whether it holds a right answer."""
    golds = [f" {_plain(gold)} " for gold in asked.golds]
    skill = asked.skill
    for seen, span in sightings(asked.question, skill.best_hits(asked.question), skill.search):
        text = f" {_plain(span.text)} "
        yield seen.signs(span), any(gold in text for gold in golds)


def _plain(text: str) -> str:
    return " ".join(word for word in tokens(text) if word not in ("a", "an", "the"))


if __name__ == "__main__":
    main()
