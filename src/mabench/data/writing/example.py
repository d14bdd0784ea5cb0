"""Data sets of one's own to begin with: made-up chats, documents and facts, by stated seeds.

Each kind has five histories of twenty sessions or chunks, long enough that a search for ten leaves
much out, and questions; a plain search misses some of them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from mabench.data.chats.importing import ImportOptions, write_conversations
from mabench.data.chats.store import MessageStore
from mabench.data.sheets import SHEET_FILES, SheetLine, write_sheet
from mabench.data.sources.declarations import SOURCES_FILE
from mabench.errors import UsageError, unknown
from mabench.formats import ChatMessage, HistoryUnit
from mabench.json_text import to_json
from mabench.outfile import write_whole

_HISTORIES = 5
_PIECES = 20
_WORDS = tomllib.loads(Path(__file__).with_name("example.toml").read_text(encoding="utf-8"))
_FOUNDING = _WORDS["founding"]
_NAMES, _TOWNS, _THINGS, _COLOURS, _MAKERS = (
    _WORDS[kind].split() for kind in ("names", "towns", "things", "colours", "makers")
)
_Questions = dict[str, tuple[str, list[str]]]  # Of each question the gold and the evidence.
_Row = tuple[str, _Questions]
_CHATS = "chats"


def write_example(out: str | Path, like: str = "documents") -> None:
    """Write five histories, ready to run: ``chats``, ``documents`` or ``facts``.

    Raises ``UsageError`` when there is no such kind, or as ``write_whole`` does.
    """
    kinds = (_CHATS, *_KINDS)
    if like not in kinds:
        raise UsageError(unknown("no example is like", like, kinds), parameter="like")
    seeds = (Random(f"{like} {n}") for n in range(_HISTORIES))  # noqa: S311 - no secret.
    with write_whole(out, folder=True) as folder:
        if like == _CHATS:
            _write_chats(folder, seeds)
        else:
            _write_rows(folder, like, seeds)


def _write_rows(folder: Path, like: str, seeds: Iterable[Random]) -> None:
    make, unit = _KINDS[like]
    source = f"my_{like}"
    lines = []
    for number, seed in enumerate(seeds):
        context, questions = make(seed)
        golds, evidence = zip(*questions.values(), strict=True)
        ids = [f"{source}-{number}-{n}" for n in range(len(questions))]
        row = {
            "context": context,
            "questions": [*questions],
            "answers": [[gold] for gold in golds],
            "evidence": evidence,
            "metadata": {"source": source, "qa_pair_ids": ids},
        }
        lines.append(to_json(row))
    declared = _WORDS["sources"].format(source=source, unit=f"unit = '{unit}'\n")
    for name, text in ((SOURCES_FILE, declared), (f"{like}.jsonl", "\n".join([*lines, ""]))):
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _write_chats(folder: Path, seeds: Iterable[Random]) -> None:
    """Write five chats as an import writes them, with a sheet of questions beside them."""
    asked: list[SheetLine] = []
    with MessageStore(folder / "messages.sqlite") as store:
        for number, seed in enumerate(seeds, start=1):
            messages, questions = _chats(seed, f"chat {number}")
            for message in messages:
                store.add(message, "example")
            asked += questions
        write_conversations(store, HistoryUnit.CHANNEL, folder, f"my_{_CHATS}", ImportOptions())
    write_sheet(folder / SHEET_FILES[0], asked)


def _talk(random: Random, sentences: int) -> Iterator[str]:
    for _ in range(sentences):
        a, b = random.sample(_NAMES, 2)
        words = {"town": _TOWNS, "thing": _THINGS, "colour": _COLOURS}
        chosen = {name: random.choice(values) for name, values in words.items()}
        yield random.choice(_WORDS["talk"]).format(a=a, b=b, **chosen)


def _documents(random: Random) -> _Row:
    """Twelve documents about things and eight about their makers; half the questions join two."""
    questions: _Questions = {}
    documents, founding = [], {}
    makers = random.sample(_MAKERS, 8)
    founders = dict(zip(makers, random.sample(_NAMES, 8), strict=True))
    for maker, founder in founders.items():
        town = random.choice(_TOWNS)
        founding[maker] = f"{maker} {random.choice(_FOUNDING)} {founder}."
        documents.append((maker, [founding[maker], f"Its workshop is in {town}."]))
    for n, thing in enumerate(random.sample(_THINGS, 12)):
        maker, colour = random.choice(makers), random.choice(_COLOURS)
        model = f"{thing} {random.randrange(100, 999)}"
        facts = [f"The {model} is made by {maker}.", f"It is sold in {colour}."]
        documents.append((f"The {model}", facts))
        if n < 3:
            questions[f"Which colour is the {model} sold in?"] = (colour, [facts[1]])
        elif n < 6:
            evidence = [facts[0], founding[maker]]
            questions[f"Who founded the maker of the {model}?"] = (founders[maker], evidence)
    random.shuffle(documents)
    texts = []
    for n, (title, facts) in enumerate(documents, start=1):
        talk = [*_talk(random, 36)]
        texts.append(" ".join([f"Document {n}: {title}.", *talk[:18], *facts, *talk[18:]]))
    return "\n".join(texts) + "\n", questions


def _facts(random: Random) -> _Row:
    """Some 900 numbered facts; later ones replace earlier ones, and the newest is asked for."""
    desks: dict[str, str] = {}
    facts = []
    for _ in range(_PIECES * 45):
        a, b = random.sample(_NAMES, 2)
        if random.random() < 0.05:
            desks[a] = f"The desk of {a} is in room {random.randrange(100, 999)}."
            facts.append(desks[a])
        else:
            town, thing = random.choice(_TOWNS), random.choice(_THINGS)
            facts.append(f"{a} brought {b} a {thing} from {town}.")
    asked = random.sample(sorted(desks), 6)
    questions = {
        f"In which room is the desk of {name}?": (desks[name].rsplit(" ")[-1][:-1], [desks[name]])
        for name in asked
    }
    return "".join(f"Fact {n}: {fact}\n" for n, fact in enumerate(facts, 1)), questions


def _chats(random: Random, channel: str) -> tuple[list[ChatMessage], list[SheetLine]]:
    """Return twenty sessions over some months, and questions; two are asked in between."""
    name, messages, history = random.choice(_NAMES), list[ChatMessage](), channel.replace(" ", "-")
    start = datetime(2024, 1, 8, 9, tzinfo=UTC)
    towns, things = random.sample(_TOWNS, 3), random.sample(_THINGS, 6)
    news = {2 * n + 1: f"I have moved to {town}." for n, town in enumerate(towns, 1)}
    news |= {
        9 + n: f"I bought a {random.choice(_COLOURS)} {thing}." for n, thing in enumerate(things)
    }
    ids: dict[int, str] = {}
    for session in range(_PIECES):
        texts = [*_talk(random, 24)]
        if session in news:
            texts[2 * random.randrange(12)] = news[session]
        for n, text in enumerate(texts):
            if text == news.get(session):
                ids[session] = f"{history}-{len(messages) + 1}"
            message = ChatMessage(
                place=f"{channel}, session {session}",
                text=text,
                time=start + timedelta(days=6 * session, minutes=n),
                speaker=name if n % 2 == 0 else None,
                role="user" if n % 2 == 0 else "assistant",
                channel=channel,
            )
            messages.append(message)

    def ask(question: str, gold: str, session: int, after: str | None = None) -> SheetLine:
        return SheetLine(
            history=history,
            question=question,
            answers=(gold,),
            supports=(ids[session],),
            asked_after=after,
        )

    questions = [
        ask("Where do I live?", towns[2], 7),
        ask("In which town do I live now?", towns[1], 5, ids[5]),
    ]
    for session in (9, 10, 11, 12):
        colour, thing = news[session].removeprefix("I bought a ").rstrip(".").split()
        questions.append(ask(f"Which colour is the {thing} that I bought?", colour, session))
    return messages, questions


# What makes a history of each kind, and how a piece of it begins that no chunk may split.
_KINDS: dict[str, tuple[Callable[[Random], _Row], str]] = {
    "documents": (_documents, r"^Document \d+:"),
    "facts": (_facts, r"^Fact \d+:"),
}
