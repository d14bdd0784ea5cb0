"""Lines scored per second by mabench and by a straightforward pipeline of public libraries.

Both sides score the same lines of the parity file, mabench from cold caches: all text lines, and
a random sample of the recommendation lines. The straightforward pipeline is what one writes
first: ``rouge-score`` for ROUGE, string code for the other text metrics, and for recommendation,
question by question as in the published code, the entity file read, its titles cleaned and a
loop over all of them with ``editdistance``. Where that is not installed, rapidfuzz's distance
of one pair stands in: it is about five times as fast, so that the ratio understates.

Run: ``python benchmarks/scoring.py [--parity FILE] [--entities FILE] [--sample N]``
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import re
import string
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rouge_score.rouge_scorer import RougeScorer

from mabench.scoring import Catalogue, parsed_only, raw_or_parsed, recommendation_recall

_SHARED = Path(__file__).resolve().parents[2] / "shared"
_SEED = 7
_CUTOFFS = (1, 5, 10)

Line = dict[str, Any]
Scorer = Callable[[Line], object]


def main() -> None:
    """Time both sides on text and on recommendation lines, and print a row for each."""
    options = _options()
    lines = [json.loads(line) for line in options.parity.open(encoding="utf-8")]
    films = [line for line in lines if line["source"].startswith("recsys")]
    texts = [line for line in lines if not line["source"].startswith("recsys")]
    sample = random.Random(_SEED).sample(films, min(options.sample, len(films)))
    distance, library = _distance_of_pair()
    started = time.perf_counter()
    catalogue = Catalogue(_read_entities(options.entities))
    print(f"mabench: catalogue prepared once, in {time.perf_counter() - started:.2f} s")
    print(f"public: {library}; recsys: a sample of {len(sample)} lines, seed {_SEED}")
    print(f"{'':<8}{'lines':>6}{'mabench/s':>12}{'public/s':>12}{'times':>8}")
    _compare("text", texts, score_text_with_mabench, text_scorer_of_libraries())
    _compare(
        "recsys",
        sample,
        lambda line: recommendation_recall(line["prediction"], line["answers"], catalogue),
        lambda line: _score_recommendation_slowly(line, options.entities, distance),
    )


def _compare(name: str, lines: Sequence[Line], mabench: Scorer, public: Scorer) -> None:
    """Print how many lines a second both sides score, and how many times as many mabench does."""
    ours, theirs = _rate(mabench, lines), _rate(public, lines)
    print(f"{name:<8}{len(lines):>6}{ours:>12.1f}{theirs:>12.1f}{ours / theirs:>8.1f}")


def _options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--parity", type=Path, default=_SHARED / "parity/official_scores.jsonl")
    parser.add_argument("--entities", type=Path, default=_SHARED / "data/entity2id.json")
    parser.add_argument("--sample", type=int, default=50, help="recommendation lines")
    return parser.parse_args()


def _read_entities(path: Path) -> dict[str, int]:
    """Return the id of each entity, by its name."""
    entities: dict[str, int] = json.loads(path.read_text(encoding="utf-8"))
    return entities


def _rate(score: Scorer, lines: Sequence[Line]) -> float:
    """Return lines per second."""
    started = time.perf_counter()
    for line in lines:
        score(line)
    return len(lines) / (time.perf_counter() - started)


def _counts_parsed_only(line: Line) -> bool:
    """Return whether only what follows "Answer:" is scored, and not the whole prediction."""
    return bool(line["source"].startswith(("icl", "eventqa")))


def score_text_with_mabench(line: Line) -> object:
    """Score a line by the official metric of its source."""
    score = parsed_only if _counts_parsed_only(line) else raw_or_parsed
    return score(line["prediction"], line["answers"])


def text_scorer_of_libraries() -> Scorer:
    """Return a function that scores a line by the same metrics, as one writes them first."""
    rouge = RougeScorer(["rougeL", "rougeLsum"], use_stemmer=True)

    def score(line: Line) -> object:
        prediction = line["prediction"]
        # What follows "Answer:", else the first line.
        candidates = re.findall(r"(?i)answer:(.*)", prediction) or prediction.split("\n")
        parsed = candidates[0].strip()
        readings = [parsed] if _counts_parsed_only(line) else [prediction, parsed]
        return [
            (_overlaps(reading, answer), rouge.score(answer, reading))
            for reading in readings
            for answer in line["answers"]
        ]

    return score


class _Overlaps(NamedTuple):
    """How far a prediction says an answer."""

    is_equal: bool
    has_answer: bool
    f1: float  # Over words.


def _overlaps(prediction: str, answer: str) -> _Overlaps:
    """Compare a prediction and an answer without case, punctuation and articles."""
    said, wanted = _normalize(prediction), _normalize(answer)
    shared = sum((Counter(said.split()) & Counter(wanted.split())).values())
    words = len(said.split()) + len(wanted.split())
    return _Overlaps(said == wanted, wanted in said, 2 * shared / words if words else 0.0)


def _normalize(text: str) -> str:
    """Return a text in lower case, without punctuation and articles."""
    bare = "".join(character for character in text.lower() if character not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split())


def _distance_of_pair() -> tuple[Callable[[str, str], int], str]:
    """Return a function for the edit distance of two texts, and words on what library has it."""
    try:
        distance: Callable[[str, str], int] = importlib.import_module("editdistance").eval
    except ImportError:
        from rapidfuzz.distance import Levenshtein

        return Levenshtein.distance, "rapidfuzz, pair by pair (editdistance is not installed)"
    return distance, "editdistance"


def _score_recommendation_slowly(
    line: Line, entities: Path, distance: Callable[[str, str], int]
) -> list[float]:
    """Return the recall of a list of recommendations at each of ``_CUTOFFS``.

    As in the published code, the entity file is read for each line, and each item of the list is
    taken for the title at the least distance.
    """
    titles = {
        entity: _without_parentheses(re.sub("[_>-]", " ", name.split("/")[-1]))
        for name, entity in _read_entities(entities).items()
    }
    all_titles = set(titles.values())

    def nearest(item: str) -> str:
        return min(all_titles, key=lambda title: distance(item.lower(), title.lower()))

    prediction = line["prediction"]
    _, first_number, after_number = prediction.partition("1.")
    # A numbered list, or titles between commas.
    listed = after_number if first_number else prediction.replace(",", "\n")
    items = [re.sub(r"^\d+\W*", "", _without_parentheses(item)) for item in listed.split("\n")]
    recommended = [nearest(item) for item in items]
    wanted = [titles[int(answer)] for answer in line["answers"]]
    return [sum(title in recommended[:k] for title in wanted) / len(wanted) for k in _CUTOFFS]


def _without_parentheses(text: str) -> str:
    """Return a text without what is in parentheses, such as the year of a film."""
    return " ".join(re.sub(r"\([^()]*\)", "", text).split())


if __name__ == "__main__":
    main()
