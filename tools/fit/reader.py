"""Fits what each sign of a span counts for in the floor's answers from documents.

    make fit, or python -m tools.fit.reader [FILE]

Writes ``src/mabench_floor/qa/weights.json``, or FILE, always with the same bytes: the weights of
the 40 signs that count most, rounded to one decimal. The questions are 1,826 of our own, about the
made-up articles beside this file, and those of made-up rows. None is of a benchmark.
Each is asked twice: of all articles, and of the passages that ``bm25`` finds for it.

``tools/fit/left_out.py`` measures on questions that the weights were not fitted to.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
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
_OWN = (
    ("articles.txt", False),
    ("subjects.txt", False),
    (_TITLED, True),
    ("pairs.txt", True),
)
_PLAIN = ((_TITLED, False),)  # Linked questions are asked where nothing has a title, too.
# Made-up rows; tests, benchmarks and the data sets of the command line use other seeds.
_SOURCES, _SEEDS = ("ruler_qa1_197K", "ruler_qa2_421K"), range(200, 206)
_TOKENS, _QUESTIONS = 32_000, 40
_LINKED = 2.0  # What a question of two documents counts for beside another of our own.
_PASSAGE, _PASSAGES = 1_700, 10  # Characters of a passage at least, and passages found.
_PENALTY = 1.0  # Of the squared weights.
SIGNS = 40  # With fewer, questions that were left out are answered worse; with more, as well.
_DROPPED = 12  # One in so many of the signs goes at a time.


class Asked(NamedTuple):
    """A question to fit on.

    Attributes:
        skill: what was learnt to answer it.
        question: how it reads.
        golds: its right answers.
        worth: what it counts for.
        writer: the file that it is from, or the source and seed of its made-up row.
    """

    skill: SearchSkill
    question: str
    golds: Sequence[str]
    worth: float
    writer: str


class Spans(NamedTuple):
    """The spans that may answer questions, with their signs.

    Attributes:
        names: what the signs are called.
        signs: the signs, spans by names.
        texts: how the spans read.
        right: whether each holds a right answer.
        starts: the place of the first span of each question, and the place after the last one.
        asked: the questions.
    """

    names: Sequence[str]
    signs: csr_matrix
    texts: Sequence[str]
    right: NDArray[Any]
    starts: NDArray[Any]
    asked: Sequence[Asked]

    def of(self, chosen: Sequence[int]) -> Spans:
        """Return the spans of the questions at some places."""
        places = [np.arange(self.starts[n], self.starts[n + 1]) for n in chosen]
        rows = np.concatenate(places)
        starts = np.cumsum([0, *map(len, places)])
        asked = [self.asked[n] for n in chosen]
        texts = [self.texts[row] for row in rows.tolist()]
        return Spans(self.names, self.signs[rows], texts, self.right[rows], starts, asked)

    def answerable(self) -> Spans:
        """Return the spans of the questions of which some span is a right answer."""
        spans = zip(self.starts, self.starts[1:], strict=False)
        return self.of([n for n, (start, end) in enumerate(spans) if self.right[start:end].any()])


def main() -> None:
    """Fit the weights and write them."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else WEIGHTS
    path.write_text(json.dumps(fit(spans_of(questions())), indent=1) + "\n", encoding="utf-8")


def questions() -> Iterator[Asked]:
    """Yield the questions to fit on, each of all documents and of the passages found for it."""
    return asked_twice([_own(_OWN), _own(_PLAIN), *_made_up()])


def asked_twice(materials: Iterable[Material]) -> Iterator[Asked]:
    """Yield questions about all of their documents, and about the passages found for them."""
    for documents, asked in materials:
        whole = SearchSkill(History(("\n\n".join(documents),)))
        memory = BM25Memory()
        for passage in _passages(documents):
            memory.add(passage)
        for question, golds, worth, writer in asked:
            texts = tuple(passage.text for passage in memory.search(question, _PASSAGES))
            yield Asked(whole, question, golds, worth, writer)
            found = SearchSkill(History(texts, passages=True))
            yield Asked(found, question, golds, worth, writer)


# Documents, and the questions about them with their right answers, what each counts for and who
# wrote it.
Material = tuple[list[str], list[tuple[str, Sequence[str], float, str]]]


def _own(files: Sequence[tuple[str, bool]]) -> Material:
    """Return our own articles and questions from files, each with whether titles are shown.

    In a file, an article begins with "= " and its title; its text is a line, and each further line
    is "? question | gold / gold".
    """
    texts: list[str] = []
    asked: list[tuple[str, Sequence[str], float, str]] = []
    for name, titled in files:
        articles = Path(__file__).with_name(name).read_text(encoding="utf-8").split("= ")[1:]
        for title, text, *lines in map(str.splitlines, articles):
            texts.append(f"{title}\n{text}" if titled else text)
            for line in lines:
                question, _, golds = line.removeprefix("? ").partition(" | ")
                worth = _LINKED if name == _TITLED else 1.0
                asked.append((question, golds.split(" / "), worth, name))
    random.Random(1).shuffle(texts)  # noqa: S311 Articles on a subject stand apart.
    return [f"Document {n}:\n{text}" for n, text in enumerate(texts, start=1)], asked


def _made_up() -> Iterator[Material]:
    """Yield the documents and questions of each made-up row."""
    for seed, source in product(_SEEDS, _SOURCES):
        specs = row_specs(source, seed, tokens=_TOKENS, rows=1, questions=_QUESTIONS)
        [row] = synthetic_dataset("fit", specs).rows()
        yield (
            documents_of(row.context),
            [
                (question, golds, 1.0, f"{source} {seed}")
                for question, golds in zip(row.questions, row.answers, strict=True)
            ],
        )


def documents_of(context: str) -> list[str]:
    """Return the documents of a row."""
    return re.split(r"\n\n(?=Document \d+:)", context)


def _passages(documents: Sequence[str]) -> Iterator[str]:
    """Yield passages of whole documents, each as short as it can be above a least length."""
    passage: list[str] = []
    for document in documents:
        passage.append(document)
        if sum(len(text) for text in passage) >= _PASSAGE:
            yield "\n\n".join(passage)
            passage = []
    if passage:  # The last one may be shorter.
        yield "\n\n".join(passage)


def spans_of(asked: Iterable[Asked]) -> Spans:
    """Weigh the spans of all questions."""
    questions: list[Asked] = []
    signs: list[dict[str, float]] = []
    texts: list[str] = []
    right: list[bool] = []
    starts = [0]
    for each in asked:
        questions.append(each)
        for own, text in _weighed(each):
            signs.append(own)
            texts.append(text)
            right.append(holds_right_answer(text, each.golds))
        starts.append(len(signs))
    names = sorted({name for own in signs for name, value in own.items() if value})
    columns = {name: column for column, name in enumerate(names)}
    ends = np.cumsum([0, *(sum(map(bool, own.values())) for own in signs)])
    entries = [(columns[n], value) for own in signs for n, value in own.items() if value]
    places, values = zip(*entries, strict=True)
    matrix = csr_matrix((values, places, ends), (len(signs), len(names)))
    return Spans(names, matrix, texts, np.array(right), np.array(starts), questions)


def fit(spans: Spans) -> dict[str, float]:
    """Return the weights of the signs that count most."""
    [weights] = fits(spans, [SIGNS])
    return weights


def fits(spans: Spans, sizes: Sequence[int]) -> Iterator[dict[str, float]]:
    """Yield the weights that make right answers likeliest, for each number of signs.

    The largest number comes first. That is a softmax over all spans of a question. Signs that count
    least go, some at a time, and the weights of the others are fitted again. Questions of which no
    span is a right answer teach nothing.
    """
    spans = spans.answerable()
    spread = _spread(spans)
    kept = np.arange(len(spans.names))
    weights = _fit_all(spans, kept, np.zeros(len(kept)))
    for size in sorted(sizes, reverse=True):
        while len(kept) > size:
            fewest = max(size, len(kept) - max(1, len(kept) // _DROPPED))
            order = np.argsort(-np.abs(weights) * spread[kept], kind="stable")
            left = np.sort(order[:fewest])
            weights = _fit_all(spans, kept[left], weights[left])
            kept = kept[left]
        names = (spans.names[n] for n in kept.tolist())
        rounded = {name: round(float(w), 1) for name, w in zip(names, weights, strict=True)}
        yield {name: weight for name, weight in rounded.items() if weight}


def _spread(spans: Spans) -> NDArray[Any]:
    """Return how far each sign varies among the spans of a question, on average."""
    variances = np.zeros(len(spans.names))
    for start, end, each in zip(spans.starts, spans.starts[1:], spans.asked, strict=False):
        variances += each.worth * spans.signs[start:end].toarray().var(axis=0)
    spread: NDArray[Any] = np.sqrt(variances)
    return spread


def _fit_all(spans: Spans, kept: NDArray[Any], start: NDArray[Any]) -> NDArray[Any]:
    """Return the weights of the kept signs that make right answers likeliest.

    A span's share of a question is the softmax of its scores. The loss is the negative logarithm of
    the share of all right spans, summed over questions by their worth, with a penalty on weights.

    Args:
        spans: the spans of questions that have a right one.
        kept: the columns of the signs.
        start: the weights to begin with.
    """
    matrix, right, starts = spans.signs[:, kept].tocsr(), spans.right, spans.starts[:-1]
    transposed = matrix.T.tocsr()
    worth = np.array([each.worth for each in spans.asked])
    question_of_span = np.repeat(np.arange(len(starts)), np.diff(spans.starts))

    def loss_and_gradient(weights: Any) -> tuple[float, Any]:
        scores = matrix @ weights
        highest = np.maximum.reduceat(scores, starts)  # Of each question, against overflow.
        odds = np.exp(scores - highest[question_of_span])
        all_odds = np.add.reduceat(odds, starts)
        right_odds = np.add.reduceat(odds * right, starts)
        shares = odds / all_odds[question_of_span]
        shares_of_right = odds * right / right_odds[question_of_span]
        slopes = (shares - shares_of_right) * worth[question_of_span]
        loss = worth @ (np.log(all_odds) - np.log(right_odds)) + _PENALTY / 2 * weights @ weights
        return loss, transposed @ slopes + _PENALTY * weights

    options = {"maxiter": 5_000, "ftol": 1e-13, "gtol": 1e-6}
    found: NDArray[Any] = minimize(
        loss_and_gradient, start, jac=True, method="L-BFGS-B", options=options
    ).x
    return found


def _weighed(asked: Asked) -> Iterator[tuple[dict[str, float], str]]:
    """Yield the signs of each span that may answer, with their values, and how it reads."""
    skill = asked.skill
    for seen, span in sightings(asked.question, skill.best_hits(asked.question), skill.search):
        yield seen.signs(span), span.text


def holds_right_answer(text: str, golds: Sequence[str]) -> bool:
    """Return whether one of the right answers stands in a text."""
    return any(f" {_plain(gold)} " in f" {_plain(text)} " for gold in golds)


@lru_cache(maxsize=100_000)
def _plain(text: str) -> str:
    """Return the words of a text without articles, to compare texts by."""
    return " ".join(word for word in tokens(text) if word not in ("a", "an", "the"))


if __name__ == "__main__":
    main()
