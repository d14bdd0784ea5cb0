"""Small rows that tests of the upper packages share, and cutting off the samples of a run."""

import json
from collections.abc import Sequence
from pathlib import Path

from mabench.data import BY_NAME, Dataset, Metadata, Row

FACTS = (
    "Here is a list of facts:\n"
    "0. Ann lives in Rome.\n1. Bob lives in Oslo.\n2. Ann lives in Bern.\n"
)


def row(source: str, context: str, pairs: Sequence[tuple[str, list[str]]], index: int = 0) -> Row:
    return Row(
        split=BY_NAME[source].split,
        index=index,
        context=context,
        questions=[question for question, _ in pairs],
        answers=[answers for _, answers in pairs],
        metadata=Metadata(
            source=source, qa_pair_ids=[f"{source}_no{number}" for number in range(len(pairs))]
        ),
    )


def moves(number: int = 40) -> Row:
    """Facts in which every second name moves once: who lives where is asked of each."""
    people = [f"P{chr(97 + n % 26)}{n}" for n in range(number)]
    lines = [f"{n}. {name} lives in Old{n}." for n, name in enumerate(people)]
    lines += [f"{number + n}. {people[n]} lives in New{n}." for n in range(0, number, 2)]
    pairs = [
        (f"Where does {name} live?", [f"Old{n}" if n % 2 else f"New{n}"])
        for n, name in enumerate(people)
    ]
    return row(
        "factconsolidation_sh_6k", "Here is a list of facts:\n" + "\n".join(lines) + "\n", pairs
    )


def two_rows() -> list[Row]:
    """Facts with three questions, and documents with two."""
    where = [("Where does Ann live?", ["Bern"]), ("Where does Bob live?", ["Oslo"])]
    where.append(("Who lives in Oslo?", ["Bob"]))
    documents = "Document 1:\nThe tower is 300 metres high.\n\nDocument 2:\nThe bridge is old."
    high = ("How high is the tower?", ["300 metres", "300 m"])
    return [
        row("factconsolidation_sh_6k", FACTS, where),
        row("ruler_qa1_197K", documents, [high, ("What is old?", ["the bridge"])]),
    ]


def dataset(rows: Sequence[Row] | None = None) -> Dataset:
    made = two_rows() if rows is None else list(rows)
    return Dataset.from_rows("small rows", lambda: made)


def write_rows(file: Path, rows: Sequence[Row] | None = None) -> Path:
    """Write rows, ``two_rows`` when none are given, as a file of JSON lines, and return it."""
    lines = [json.dumps(one.model_dump(exclude={"index"})) for one in rows or two_rows()]
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def keep_samples(folder: Path, count: int) -> None:
    """Leave no more than the first samples of a run, as if it had been stopped there."""
    file = folder / "samples.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:count]))
