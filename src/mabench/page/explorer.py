"""What the page's script reads: every question, trimmed, as JSON in gzip in base64."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Mapping, Sequence

from mabench.inspection import excerpt
from mabench.json_text import Json, to_json
from mabench.page.content import Asked, Result, ShownPassage

# The page may have 6 MB in all; texts are trimmed until the questions fit into this.
MOST_BYTES = 4_500_000
_LONGEST_TEXTS = (4000, 1500, 500, 150)
_MOST_TEXTS = 3  # The best passages, and those with a gold, are shown by their texts.
_MOST_PASSAGES = 20
_MOST_GOLDS = 50
_AROUND = 160


def packed(runs: Sequence[Sequence[Asked]], most: int = MOST_BYTES) -> str:
    """Return the questions of runs for the page's script.

    Args:
        runs: the questions of each run; those of the first are shown, with what each run made
            of them.
        most: how many bytes are allowed; texts are trimmed until they fit.
    """
    text = ""
    for longest in _LONGEST_TEXTS:
        content = to_json(_questions(runs, longest))
        text = base64.b64encode(gzip.compress(content.encode(), 9, mtime=0)).decode("ascii")
        if len(text) <= most:
            break
    return text


def _questions(runs: Sequence[Sequence[Asked]], longest: int) -> Json:
    others = [{one.key: one.result for one in run} for run in runs]
    return [_question(one, [run.get(one.key) for run in others], longest) for one in runs[0]]


def _question(one: Asked, results: Sequence[Result | None], longest: int) -> Json:
    golds = [*dict.fromkeys(one.answers)][:_MOST_GOLDS]
    return {
        "id": f"{one.split}/{one.row}/{one.index}",
        "source": one.source,
        "row": one.row,
        "index": one.index,
        "question": trimmed(one.question, longest),
        "answers": [trimmed(answer, longest) for answer in golds],
        "golds": list(one.golds[:_MOST_GOLDS]) if one.golds is not None else None,
        "chunks": one.chunks,
        "results": [_result(result, longest) if result else None for result in results],
    }


def _result(result: Result, longest: int) -> dict[str, Json]:
    first_gold = next((one.rank for one in result.passages if one.gold), 0)
    fields: Mapping[str, Json] = {
        "verdict": result.verdict,
        "official": _rounded(result.official),
        "corrected": _rounded(result.corrected),
        "rule": result.rule,
        "answer": trimmed(result.prediction, longest),
        "error": trimmed(result.error, longest),
        "hit": result.hit,
        "passages": [
            _passage(one, one.rank <= _MOST_TEXTS or one.rank == first_gold, longest)
            for one in result.passages[:_MOST_PASSAGES]
        ],
        "more": max(0, len(result.passages) - _MOST_PASSAGES) or None,
        "judges": [trimmed(said, longest) for said in result.judgments],
        "seconds": _rounded(result.seconds),
        "in": result.input_tokens,
        "out": result.output_tokens,
        "cost": result.cost,
    }
    return {name: value for name, value in fields.items() if value is not None and value != []}


def _passage(one: ShownPassage, with_text: bool, longest: int) -> Json:
    shown: dict[str, Json] = {"rank": one.rank, "chunk": one.chunk, "score": _rounded(one.score)}
    if one.gold is not None:
        shown["gold"] = one.gold
    if with_text and one.text is not None:
        shown["text"] = _around(one, min(_AROUND, longest))
    return shown


def _around(passage: ShownPassage, around: int) -> Json:
    """Return a passage in parts, every second of which is a gold; what is far from it is cut."""
    text, marks = excerpt(passage.text or "", passage.marks, around)
    parts, place = [], 0
    for start, end in marks:
        parts += [text[place:start], trimmed(text[start:end], around)]
        place = end
    return [*parts, text[place:]]


def trimmed(text: str | None, longest: int) -> str | None:
    """Return the beginning of a text, and how much is left out."""
    if text is None or len(text) <= longest:
        return text
    return f"{text[:longest]}\N{HORIZONTAL ELLIPSIS} [{len(text) - longest:,} characters more]"


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")
