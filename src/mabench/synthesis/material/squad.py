"""RULER rows over a user's paragraphs and questions, in the form of SQuAD's JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mabench.data.schema import RowContent
from mabench.errors import DataError
from mabench.synthesis.material.request import Request
from mabench.synthesis.material.tables import Faults, read_json
from mabench.synthesis.rows import Item, row_content
from mabench.text import estimate_tokens

_SOURCE = "ruler_qa1_197K"
_HEADER_TOKENS = 5


class _Paragraph(NamedTuple):
    text: str
    items: tuple[Item, ...]


def read(path: Path, request: Request) -> list[RowContent]:
    """Return one row: the paragraphs as numbered documents, and questions about them.

    The file is ``{"data": [{"paragraphs": [{"context", "qas": [{"question", "answers":
    [{"text"}]}]}]}]}``; questions marked ``is_impossible`` are left out. Paragraphs are shuffled,
    and of too many as many are taken as ``request.tokens`` hold.

    Raises:
        DataError: naming every entry that is not so, or whose answer is not in its paragraph.
    """
    faults = Faults(path)
    paragraphs = {p.text: p for p in _paragraphs(read_json(path), faults)}
    faults.raise_if_any()
    rng = request.stream()
    chosen = _fitting(rng.sample(list(paragraphs.values()), len(paragraphs)), request.tokens)
    items = {item.question: item for paragraph in chosen for item in paragraph.items}
    if not items:
        raise DataError(f"{path}: no answerable question; add `qas` with answers")
    asked = rng.sample(list(items.values()), min(request.questions, len(items)))
    documents = "\n\n".join(f"Document {i}:\n{p.text}" for i, p in enumerate(chosen, start=1))
    return [row_content(_SOURCE, documents, asked)]


def _paragraphs(content: Any, faults: Faults) -> Iterator[_Paragraph]:
    articles = content.get("data") if isinstance(content, dict) else content
    if not isinstance(articles, list):
        faults.add("the file", "no list `data`", "give it the form of SQuAD")
        return
    for a, article in enumerate(articles):
        paragraphs = article.get("paragraphs") if isinstance(article, dict) else None
        if not isinstance(paragraphs, list):
            faults.add(f"data[{a}]", "no list `paragraphs`", "add it")
            continue
        for p, paragraph in enumerate(paragraphs):
            place = f"data[{a}].paragraphs[{p}]"
            text = paragraph.get("context") if isinstance(paragraph, dict) else None
            if not isinstance(text, str) or not text.strip():
                faults.add(f"{place}.context", "no text", "add the paragraph")
                continue
            squeezed = " ".join(text.split())
            yield _Paragraph(squeezed, tuple(_items(paragraph, squeezed, place, faults)))


def _items(paragraph: dict[str, Any], text: str, place: str, faults: Faults) -> Iterator[Item]:
    for q, asked in enumerate(paragraph.get("qas") or ()):
        where = f"{place}.qas[{q}]"
        if not isinstance(asked, dict) or not isinstance(asked.get("question"), str):
            faults.add(where, "no `question`", "add it as a string")
        elif not asked.get("is_impossible"):
            answers = [a.get("text") for a in asked.get("answers") or () if isinstance(a, dict)]
            golds = tuple(" ".join(a.split()) for a in answers if isinstance(a, str) and a.strip())
            if not golds:
                faults.add(f"{where}.answers", "no answer with a `text`", "add one")
            elif golds[0] not in text:
                faults.add(f"{where}.answers[0]", "not in the paragraph", "quote it as it stands")
            else:
                yield Item(" ".join(asked["question"].split()), golds)


def _fitting(paragraphs: list[_Paragraph], tokens: int | None) -> list[_Paragraph]:
    """Return as many paragraphs as fit, one at least."""
    if tokens is None:
        return paragraphs
    chosen: list[_Paragraph] = []
    for paragraph in paragraphs:
        tokens -= estimate_tokens(paragraph.text) + _HEADER_TOKENS
        if tokens < 0 and chosen:
            break
        chosen.append(paragraph)
    return chosen
