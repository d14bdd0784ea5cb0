"""The jobs that are timed, each in a process of its own: ``python -m …jobs NAME ARGUMENT…``.

Each job imports only what it needs, since imports are a part of what a user waits for.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

_PROMPT: Final = "Question {number}? Answer briefly."
_SPLITS: Final = (
    "Accurate_Retrieval", "Test_Time_Learning", "Long_Range_Understanding", "Conflict_Resolution",
)  # fmt: skip


def ask_with_bare_client(url: str, questions: str, in_flight: str) -> None:
    """Post the questions with aiohttp, so many at a time, and write the replies to a file."""
    import asyncio
    import json

    import aiohttp

    async def ask_all() -> list[str]:
        gate = asyncio.Semaphore(int(in_flight))
        connector = aiohttp.TCPConnector(limit=int(in_flight))
        async with aiohttp.ClientSession(connector=connector) as session:

            async def ask(number: int) -> str:
                message = {"role": "user", "content": _PROMPT.format(number=number)}
                body = {"model": "m", "messages": [message], "temperature": 0}
                async with gate, session.post(f"{url}/chat/completions", json=body) as reply:
                    return str((await reply.json())["choices"][0]["message"]["content"])

            return await asyncio.gather(*(ask(number) for number in range(int(questions))))

    with tempfile.TemporaryDirectory() as folder:
        lines = (json.dumps(reply) + "\n" for reply in asyncio.run(ask_all()))
        Path(folder, "replies.jsonl").write_text("".join(lines), encoding="utf-8")


def ask_with_inspect(url: str, questions: str, in_flight: str) -> None:
    """Evaluate the questions with inspect_ai, scored by an exact match."""
    import inspect_ai
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import match
    from inspect_ai.solver import generate

    samples = [
        Sample(_PROMPT.format(number=number), target="42") for number in range(int(questions))
    ]
    with tempfile.TemporaryDirectory() as folder:
        inspect_ai.eval(
            inspect_ai.Task(MemoryDataset(samples), solver=generate(), scorer=match()),
            model="openai/m",
            model_base_url=url,
            max_connections=int(in_flight),
            log_dir=folder,
            display="none",
        )


def ask_with_lm_eval(url: str, questions: str, in_flight: str) -> None:
    """Evaluate the questions with lm-eval's chat completions, scored by an exact match."""
    import json

    import lm_eval

    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder, "rows.jsonl")
        lines = [
            json.dumps({"question": _PROMPT.format(number=number), "answer": "42"}) + "\n"
            for number in range(int(questions))
        ]
        rows.write_text("".join(lines), encoding="utf-8")
        task = {
            "task": "short_questions",
            "dataset_path": "json",
            "dataset_kwargs": {"data_files": {"test": str(rows)}, "cache_dir": folder},
            "test_split": "test",
            "output_type": "generate_until",
            "doc_to_text": "{{question}}",
            "doc_to_target": "{{answer}}",
            "generation_kwargs": {"until": [], "temperature": 0},
            "metric_list": [{"metric": "exact_match"}],
        }
        lm_eval.simple_evaluate(
            model="local-chat-completions",
            model_args={
                "model": "m",
                "base_url": f"{url}/chat/completions",
                "num_concurrent": int(in_flight),
                "tokenized_requests": False,
            },
            tasks=[task],
            apply_chat_template=True,
            bootstrap_iters=0,
        )


def score_first_with_inspect() -> None:
    """Evaluate one question without a model, to see what comes before a first score."""
    import inspect_ai
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import match
    from inspect_ai.solver import generate

    with tempfile.TemporaryDirectory() as folder:
        inspect_ai.eval(
            inspect_ai.Task(
                MemoryDataset([Sample("Question?", target="42")]),
                solver=generate(),
                scorer=match(),
            ),
            model="mockllm/model",
            log_dir=folder,
            display="none",
        )


def write_hub_layout(folder: str) -> None:
    """Write 405 histories with 50 questions each, in the layout of the hub.

    A job, too: the peak of memory of a process counts what the one that started it held.
    """
    from mabench.data import Dataset, Metadata, Row
    from mabench.data.writing.hub_layout import export_hub_layout

    def rows() -> list[Row]:
        return [
            Row(
                split=_SPLITS[number % len(_SPLITS)],
                index=number // len(_SPLITS),
                context=f"Document {number}:\n" + "A word and another one. " * 1000,
                questions=[f"Question {number}.{place}?" for place in range(50)],
                answers=[["42"]] * 50,
                metadata=Metadata(source="speed_own"),
            )
            for number in range(405)
        ]

    export_hub_layout(Dataset.from_rows("speed", rows), Path(folder))


def load_with_mabench(folder: str, by_split: str) -> None:
    """Read all questions of a folder of Parquet files, split by split or in one pass."""
    import mabench

    data = mabench.load(folder)
    if by_split == "by-split":
        found = sum(len(row.questions) for split in _splits(folder) for row in data[split].rows())
    else:
        found = sum(len(row.questions) for row in data.rows())
    print(found)


def load_with_datasets(folder: str, by_split: str) -> None:
    """Read the same with ``datasets``, into a cache of its own."""
    import datasets

    with tempfile.TemporaryDirectory() as cache:
        splits = datasets.load_dataset(folder, cache_dir=cache)
        names = _splits(folder) if by_split == "by-split" else list(splits)
        print(sum(len(row["questions"]) for name in names for row in splits[name]))


def _splits(folder: str) -> list[str]:
    return sorted(path.name.partition("-00")[0] for path in Path(folder, "data").glob("*.parquet"))


def index_with_mabench(texts: str) -> None:
    """Add texts to the memory ``bm25`` and search once."""
    from mabench_memories.retrieval.bm25 import BM25Memory

    memory = BM25Memory()
    for text in _made_up_texts(int(texts)):
        memory.add(text)
    memory.search("the harbour of the old lighthouse", 10)


def index_with_bm25s(texts: str) -> None:
    """Index the same texts with bm25s and a stemmer, and search once."""
    import bm25s
    import nltk

    stem = nltk.stem.snowball.SnowballStemmer("english").stem
    words = bm25s.tokenize(
        list(_made_up_texts(int(texts))),
        stopwords="en",
        stemmer=lambda found: [stem(word) for word in found],
        show_progress=False,
    )
    index = bm25s.BM25(method="lucene")
    index.index(words, show_progress=False)
    query = bm25s.tokenize("the harbour of the old lighthouse", show_progress=False)
    index.retrieve(query, k=10, show_progress=False)


def index_with_tantivy(texts: str) -> None:
    """Index the same texts with tantivy's English analyser, and search once."""
    import tantivy

    schema = tantivy.SchemaBuilder().add_text_field("text", tokenizer_name="en_stem").build()
    index = tantivy.Index(schema)
    writer = index.writer()
    for text in _made_up_texts(int(texts)):
        writer.add_document(tantivy.Document(text=text))
    writer.commit()
    index.reload()
    query = index.parse_query("the harbour of the old lighthouse", ["text"])
    index.searcher().search(query, 10)


def search_after_adds(texts: str, adds: str) -> None:
    """Fill ``bm25``, then search after each of some more adds."""
    from mabench_memories.retrieval.bm25 import BM25Memory

    made_up = list(_made_up_texts(int(texts) + int(adds)))
    memory = BM25Memory()
    for text in made_up[: int(texts)]:
        memory.add(text)
    for text in made_up[int(texts) :]:
        memory.add(text)
        memory.search("the harbour of the old lighthouse", 10)


def _made_up_texts(count: int) -> list[str]:
    """Return texts of sixty words out of some twenty thousand, in which a few are frequent."""
    import itertools
    import random

    draw = random.Random(count)
    syllables = [a + b for a in "bcdfglmnprst" for b in ("a", "e", "i", "o", "u", "an", "er")]
    vocabulary = ["".join(draw.choices(syllables, k=3)) for _ in range(20_000)]
    weights = [*itertools.accumulate(1 / (rank + 10) for rank in range(len(vocabulary)))]
    return [" ".join(draw.choices(vocabulary, cum_weights=weights, k=60)) for _ in range(count)]


def run_busy_rows(rows: str, seconds: str, processes: str) -> None:
    """Run rows that each take CPU seconds of an agent's own, in one process or in several."""
    import mabench
    from mabench.data import Dataset, Metadata, Row
    from mabench.specs import Limits

    from .agents import BusyAgent

    def make_rows() -> list[Row]:
        return [
            Row(
                split="Accurate_Retrieval",
                index=number,
                context="Document 1:\nNothing.",
                questions=["How long?"],
                answers=[[seconds]],
                metadata=Metadata(source="ruler_qa1_197K"),
            )
            for number in range(int(rows))
        ]

    executor = "processes" if int(processes) > 1 else "local"
    with tempfile.TemporaryDirectory() as folder:
        mabench.run(
            BusyAgent,
            Dataset.from_rows("busy", make_rows),
            out=Path(folder, "run"),
            executor=executor,
            limits=Limits(rows=int(processes)),
            settings={"seconds": seconds},
        )


def score_with_mabench(lines: str) -> None:
    """Score made-up answers by the official metrics."""
    from benchmarks.scoring import score_text_with_mabench

    for line in _made_up_answers(int(lines)):
        score_text_with_mabench(line)


def score_with_libraries(lines: str) -> None:
    """Score the same by well-kept libraries, as one writes it first."""
    from benchmarks.scoring import text_scorer_of_libraries

    score = text_scorer_of_libraries()
    for line in _made_up_answers(int(lines)):
        score(line)


def _made_up_answers(count: int) -> list[dict[str, object]]:
    texts = _made_up_texts(count)
    return [
        {
            "source": "ruler_qa1_197K",
            "prediction": f"Answer: {text}",
            "answers": [" ".join(text.split()[10:13])],
        }
        for text in texts
    ]


JOBS: Final[dict[str, Callable[..., None]]] = {
    function.__name__: function
    for function in (
        ask_with_bare_client,
        ask_with_inspect,
        ask_with_lm_eval,
        score_first_with_inspect,
        write_hub_layout,
        load_with_mabench,
        load_with_datasets,
        index_with_mabench,
        index_with_bm25s,
        index_with_tantivy,
        search_after_adds,
        run_busy_rows,
        score_with_mabench,
        score_with_libraries,
    )
}


if __name__ == "__main__":
    JOBS[sys.argv[1]](*sys.argv[2:])
