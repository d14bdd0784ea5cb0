"""Runs and rows for pages: plain ones, hostile ones, and a run as long as the benchmark."""

from __future__ import annotations

import base64
import gzip
import json
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from mabench.data import Metadata, Row, Turn
from mabench.results import MemoryRecord, RetrievedPassage, Run, Sample, Timing
from mabench.results.records.store import RunFolder
from tests.comparison.made import FACTS, QA, made_run, made_sample
from tests.rows import row as made_row

HOSTILE = (
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "</template></dialog><iframe src='http://example.org'></iframe>",
    "{{ 7 * 7 }}{% raw %}<b>bold</b>",
    "line\u2028separator\u2029paragraph",
    "half of an emoji \ud83d alone",
    "\u202egnitirw fo noitcerid eht snrut\u2067 and isolates",
    "nul \x00 bell \x07 escape \x1b[31mred",
    "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "W" * 5000,
    '=HYPERLINK("http://example.org")',
    "a b " * 250_000,
)


def sample(index: int, source: str = QA, score: float = 1.0, **fields: Any) -> Sample:
    said = f"{'gold' if score else 'no'} {index}"
    texts = {"question": f"What is number {index}?", "answers": [f"gold {index}"]}
    return made_sample(index, source, score, **{**texts, "prediction": said, **fields})


wrong = partial(sample, score=0.0)


def failed(index: int, source: str = QA) -> Sample:
    error = "TimeoutError: no answer within 5 s"
    return wrong(index, source, prediction=None, error=error)


def written(folder: Path, samples: Iterable[Sample], agent: str = "made") -> Run:
    """Write a run with these samples, each of which took a tenth of a second."""
    listed = list(samples)
    questions = dict(Counter(one.source for one in listed))
    store = RunFolder(made_run(folder, {}, agent=agent, questions=questions))
    store.replace_samples(listed)
    timings = [Timing(*one.key, seconds=0.1).to_json() for one in listed]
    (folder / "timings.jsonl").write_text("".join(f"{line}\n" for line in timings))
    for split, row, source in dict.fromkeys((one.split, one.row, one.source) for one in listed):
        memory = MemoryRecord(split=split, row=row, source=source, chunks=10, seconds=1.0)
        store.append_memory(replace(memory, tokens=6000 + 9000 * row))
    return Run(folder)


def plain(folder: Path, right: Sequence[bool] = (True, False) * 10, agent: str = "made") -> Run:
    samples = []
    for source in (QA, FACTS):
        for index, is_right in enumerate(right):
            texts = [f"Of {index} much is said.", f"It is gold {index}, they say.", "Nothing."]
            passages = [RetrievedPassage(text=text, score=3 - n) for n, text in enumerate(texts)]
            fields: dict[str, Any] = {
                "retrieved": passages,
                "hit_by": "evidence" if source == QA else "mention",
                "hit_rank": 2 if index % 3 else None,
                "evidence_ranks": (2 if index % 3 else None,) if source == QA else None,
                "gold_chunks": (index % 10,),
                "shown_tokens": 20,
                "input_tokens": 100,
                "output_tokens": 5,
                "cost": 0.001,
            }
            samples.append((sample if is_right else wrong)(index, source, **fields))
        samples.append(failed(len(right), source))
    return written(folder, samples, agent)


def hostile(folder: Path) -> Run:
    hit: dict[str, Any] = {"hit_by": "mention", "hit_rank": 1, "shown_tokens": 9}
    samples = []
    for index, text in enumerate(HOSTILE):
        texts: dict[str, Any] = {
            "question": text,
            "answers": [text or "x", "gold"],
            "prediction": text,
        }
        passages = [RetrievedPassage(text=f"{text} gold {text}")]
        samples.append(wrong(index, **texts, retrieved=passages, **hit))
    for index, text in enumerate(HOSTILE, start=len(HOSTILE)):
        samples.append(wrong(index, prediction=None, error=f"{text[:200]}: {text[:2000]}"))
    return written(folder, samples, agent=HOSTILE[0] + HOSTILE[1])


def long(folder: Path) -> Run:
    """Write a run of 3,671 questions, as many as the benchmark has, with ten passages each."""
    chance = random.Random(0)
    syllables = [a + b for a in "bdfgklmnprst" for b in ("a", "ei", "o", "ur", "in")]
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(20_000)]
    texts = [" ".join(chance.choices(words, k=70)) for _ in range(12_000)]

    def one(index: int) -> Sample:
        gold = " ".join(chance.choices(words, k=2))
        passages = [RetrievedPassage(text=text) for text in chance.sample(texts, 10)]
        passages[2] = RetrievedPassage(text=f"{texts[index]} {gold} {texts[-index]}")
        fields: dict[str, Any] = {
            "question": f"{texts[index + 4000][:300]} {index}?",
            "answers": [gold],
            "retrieved": passages,
            "hit_by": "mention",
            "hit_rank": 3,
            "gold_chunks": (index % 10,),
            "shown_tokens": 900,
        }
        return (sample if index % 2 else wrong)(index, QA, **{"prediction": gold, **fields})

    return written(folder, map(one, range(3671)))


def towers() -> Row:
    text = f"The tower is 300 metres high.\n\n{'It is old. ' * 3000}\n\nAgain: 300 Metres."
    pairs = [("How high?", ["300 metres", "the 300 Metres", "4 m"]), ("What is new?", ["bridge"])]
    return made_row("ruler_qa1_197K", text, pairs)


def chats() -> Row:
    turns: list[list[Turn]] = [
        [{"role": "user", "content": f"Today I bought {n} red apples.", "has_answer": n in (0, 2)}]
        for n in range(4)
    ]
    parts = [part for n, turn in enumerate(turns) for part in (f"Chat Time: {n}", turn)]
    metadata: Metadata = {
        "source": "longmemeval_s*",
        "question_types": ["single-session-user", "multi-session"],
        "question_dates": ["2023/05/27 (Sat) 22:54"] * 2,
        "question_ids": ["a", "b"],
        "haystack_sessions": [[turns[2]], [turns[0]]],
    }
    return Row(
        split="Accurate_Retrieval",
        index=1,
        context=repr(parts),
        questions=["How many?", "How few?"],
        answers=[["two"], ["none"]],
        metadata=metadata,
    )


def unpacked(content: str) -> Any:
    """Return what the page's script reads of the questions."""
    return json.loads(gzip.decompress(base64.b64decode(content)))
