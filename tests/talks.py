"""Conversations that tests share: what was said when, by whom, in which session, for whom."""

from collections.abc import Mapping, Sequence
from typing import Any

from mabench.data import Dataset, Row, Source

SOURCE = "my_talk"
# Each has a session of its own, a day after the one before.
SAID = (
    "The code of the door is K417.",
    "The code of the door is now M902.",
    "We painted the door blue.",
    "The code of the door is now T555.",
)


def turns(said: Sequence[str] = SAID) -> list[dict[str, str]]:
    """Return turns with all fields, for ``talk``."""
    return [
        {
            "text": text,
            "time": f"2024-05-0{day}T10:00:00+00:00",
            "speaker": "Amal" if day % 2 else "Bea",
            "role": "user" if day % 2 else "assistant",
            "session": f"day {day}",
            "user": "house-7",
        }
        for day, text in enumerate(said, start=1)
    ]


def talk(
    messages: Sequence[Mapping[str, str]],
    pairs: Sequence[tuple[str, str]],
    headings: Sequence[str] | None = None,
    index: int = 0,
    metadata: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Row:
    """Return a row of a conversation; ``headings`` stand before the messages in its context."""
    context, placed = "", []
    for number, message in enumerate(messages):
        context += headings[number] if headings else ""
        start = len(context)
        context += message["text"]
        own = {name: value for name, value in message.items() if name != "text"}
        place = {"id": f"t{number}", "session": "s", "start": start, "end": len(context)}
        placed.append({**place, **own})
        context += "\n"
    ids = [f"{index}-{number}" for number in range(len(pairs))]
    return Row.model_validate(
        {
            "split": "Own",
            "index": index,
            "context": context,
            "questions": [question for question, _ in pairs],
            "answers": [[answer] for _, answer in pairs],
            "metadata": {"source": SOURCE, "qa_pair_ids": ids, **(metadata or {})},
            "turns": placed,
            **fields,
        }
    )


def talks(*rows: Row) -> Dataset:
    """Return rows as a data set that declares their source."""
    source = Source(SOURCE, split="Own", family="answer")
    return Dataset.from_rows("talks", lambda: rows).with_sources({SOURCE: source})
