"""A small data set of one's own to begin with: made-up tickets of a repair shop."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from mabench.data.export import new_folder, write_whole
from mabench.data.inventory import SOURCES_FILE
from mabench.data.schema import Metadata, RowContent
from mabench.json_text import to_json

SOURCE = "my_support_tickets"
_SOURCES = f"""\
# What the rows beside this file are. docs/guides/own-data.md describes each setting.

[{SOURCE}]
family = "answer"           # or "label", "choice", "judged", "module:NAME"
unit = '^Ticket \\d+:'       # how a piece begins that no chunk may split
metric = "substring_exact_match"
"""

# Of each customer: name, town, and what was brought in, with colour and fault.
_CUSTOMERS = (
    ("Amal", "Trieste", ("kettle", "red", "a loose lid"), ("lamp", "grey", "a torn cable")),
    ("Bodil", "Aarhus", ("radio", "black", "a bent dial"), ("fan", "white", "a noisy motor")),
    ("Chidi", "Enugu", ("drill", "yellow", "a worn belt"), ("clock", "green", "a slow hand")),
    ("Dolores", "Cuenca", ("toaster", "silver", "a stuck spring"), ("iron", "blue", "a weak plug")),
    ("Emeka", "Leeds", ("mixer", "orange", "a split bowl"), ("scale", "pink", "a flat battery")),
    ("Freya", "Tromso", ("heater", "brown", "a burnt switch"), ("scanner", "beige", "a dim bulb")),
)
_SMALL_TALK = (
    "The customer asked for our opening hours, and we sent them.",
    "The customer thanked us for the quick reply.",
    "We confirmed the address and the telephone number.",
    "The customer asked whether we sell used parts; we do not.",
)


def write_example(out: str | Path) -> None:
    """Write six histories of tickets, ready to run; raises ``UsageError`` or ``DataError``."""
    lines = "".join(to_json(row.model_dump(exclude_none=True)) + "\n" for row in _rows())
    with write_whole(new_folder(out)) as folder:
        folder.mkdir()
        for name, text in ((SOURCES_FILE, _SOURCES), ("tickets.jsonl", lines)):
            (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _rows() -> Iterator[RowContent]:
    for number, (name, town, first, second) in enumerate(_CUSTOMERS):
        code = f"K{417 + 83 * number}"
        facts = [
            f"{name} from {town} brought in the {first[1]} {first[0]} with {first[2]}.",
            f"The pick-up code of {name} is {code}.",
            f"{name} brought in the {second[1]} {second[0]} with {second[2]}.",
            f"The repair of the {first[0]} costs {30 + 7 * number} euros.",
            f"The {second[0]} waits on shelf {12 + number}.",
        ]
        questions = {
            f"Which town is {name} from?": town,
            f"What is the pick-up code of {name}?": code,
            f"Which colour is the {first[0]} that {name} brought in?": first[1],
            f"How many euros does the repair of the {first[0]} cost?": str(30 + 7 * number),
            f"On which shelf does the {second[0]} wait?": str(12 + number),
        }
        talk = islice(cycle(_SMALL_TALK), number, None)
        texts = [text for fact in facts for text in (fact, next(talk), next(talk))]
        ids = [f"{name.lower()}-{n}" for n in range(len(questions))]
        yield RowContent(
            context="".join(f"Ticket {n}: {text}\n" for n, text in enumerate(texts, 1)),
            questions=[*questions],
            answers=[[answer] for answer in questions.values()],
            metadata=Metadata(source=SOURCE, qa_pair_ids=ids),
            evidence=[[facts[n]] for n in (0, 1, 0, 3, 4)],
        )
