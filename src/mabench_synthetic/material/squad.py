"""RULER rows over a user's paragraphs and questions, in the form of SQuAD's JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mabench.data.schema import RowContent
from mabench.errors import DataError
from mabench.text import estimate_tokens
from mabench_synthetic.generator import QAPair, row_content
from mabench_synthetic.material.reading import Faults, MaterialSpec, fitting, read_json

_SOURCE = "ruler_qa1_197K"
_HEADER_TOKENS = 5


class _Paragraph(NamedTuple):
    text: str
    pairs: tuple[QAPair, ...]


def read(path: Path, spec: MaterialSpec) -> RowContent:
    """Return one row: the paragraphs as numbered documents, and questions about them.

    The file is ``{"data": [{"paragraphs": [{"context", "qas": [{"question", "answers":
    [{"text"}]}]}]}]}``; questions marked ``is_impossible`` are left out. Paragraphs are shuffled;
    only as many are used as fit into ``spec.tokens``.

    Raises:
        DataError: naming every entry that is not so, or whose answer is not in its paragraph.
    """
    faults = Faults(path)
    paragraphs = {p.text: p for p in _paragraphs(read_json(path), faults)}
    faults.raise_if_any()
    rng = spec.random_stream()
    shuffled = rng.sample(list(paragraphs.values()), len(paragraphs))
    chosen = fitting(shuffled, spec.tokens, lambda p: estimate_tokens(p.text) + _HEADER_TOKENS)
    pairs = {pair.question: pair for paragraph in chosen for pair in paragraph.pairs}
    if not pairs:
        raise DataError(f"{path}: no answerable question; add 'qas' with answers")
    questions = rng.sample(list(pairs.values()), min(spec.questions, len(pairs)))
    documents = "\n\n".join(f"Document {i}:\n{p.text}" for i, p in enumerate(chosen, start=1))
    return row_content(_SOURCE, documents, questions)


def _paragraphs(content: Any, faults: Faults) -> Iterator[_Paragraph]:
    articles = content.get("data") if isinstance(content, dict) else content
    if not isinstance(articles, list):
        faults.add(
            "the file",
            "no list 'data'",
            "give it the form of SQuAD: docs/explanation/made-up-rows.md",
        )
        return
    for a, article in enumerate(articles):
        paragraphs = article.get("paragraphs") if isinstance(article, dict) else None
        if not isinstance(paragraphs, list):
            faults.add(f"data[{a}]", "no list 'paragraphs'", "add it")
            continue
        for p, paragraph in enumerate(paragraphs):
            place = f"data[{a}].paragraphs[{p}]"
            text = paragraph.get("context") if isinstance(paragraph, dict) else None
            if not isinstance(text, str) or not text.strip():
                faults.add(f"{place}.context", "no text", "add the paragraph")
                continue
            squeezed = " ".join(text.split())
            yield _Paragraph(squeezed, tuple(_pairs(paragraph, squeezed, place, faults)))


def _pairs(paragraph: dict[str, Any], text: str, place: str, faults: Faults) -> Iterator[QAPair]:
    for q, entry in enumerate(paragraph.get("qas") or ()):
        where = f"{place}.qas[{q}]"
        if not isinstance(entry, dict) or not isinstance(entry.get("question"), str):
            faults.add(where, "no 'question'", "add it as a string")
        elif not entry.get("is_impossible"):
            answers = [a.get("text") for a in entry.get("answers") or () if isinstance(a, dict)]
            golds = tuple(" ".join(a.split()) for a in answers if isinstance(a, str) and a.strip())
            if not golds:
                faults.add(f"{where}.answers", "no answer with a 'text'", "add one")
            elif golds[0] not in text:
                faults.add(f"{where}.answers[0]", "not in the paragraph", "quote it as it stands")
            else:
                yield QAPair(" ".join(entry["question"].split()), golds)
