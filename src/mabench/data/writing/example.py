"""Data sets of one's own to begin with: made-up chats, documents and facts, by stated seeds.

Each kind has five histories of twenty sessions or chunks, long enough that a search for ten leaves
much out, and questions of which a plain search misses some.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from mabench.data.sources.declarations import SOURCES_FILE
from mabench.errors import UsageError, unknown
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
_Row = tuple[str | list[dict[str, str]], _Questions, dict[str, Any]]


def write_example(out: str | Path, like: str = "documents") -> None:
    """Write five histories, ready to run: ``chats``, ``documents`` or ``facts``.

    Raises ``UsageError`` when there is no such kind, or as ``write_whole`` does.
    """
    if like not in _KINDS:
        raise UsageError(unknown("no example is like", like, _KINDS), parameter="like")
    make, unit = _KINDS[like]
    source = f"my_{like}"
    seeds = (Random(f"{like} {n}") for n in range(_HISTORIES))  # noqa: S311 - no secret.
    lines = []
    for number, seed in enumerate(seeds):
        context, questions, more = make(seed)
        golds, evidence = zip(*questions.values(), strict=True)
        ids = [f"{source}-{number}-{n}" for n in range(len(questions))]
        row = {
            "context": context,
            "questions": [*questions],
            "answers": [[gold] for gold in golds],
            "evidence": evidence,
            "metadata": {"source": source, "qa_pair_ids": ids},
        }
        lines.append(to_json({**row, **more}))
    declared = _WORDS["sources"].format(source=source, unit=f"unit = '{unit}'\n" if unit else "")
    with write_whole(out, folder=True) as folder:
        for name, text in ((SOURCES_FILE, declared), (f"{like}.jsonl", "\n".join([*lines, ""]))):
            (folder / name).write_text(text, encoding="utf-8", newline="\n")


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
    return "\n".join(texts) + "\n", questions, {}


def _facts(random: Random) -> _Row:
    """Some 900 numbered facts, of which later ones replace earlier ones; asked is what holds."""
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
    return "".join(f"Fact {n}: {fact}\n" for n, fact in enumerate(facts, 1)), questions, {}


def _chats(random: Random) -> _Row:
    """Twenty sessions over some months, as a list of turns; two questions are asked in between."""
    name, questions, turns = random.choice(_NAMES), dict[str, Any](), list[dict[str, str]]()
    start = datetime(2024, 1, 8, 9, tzinfo=UTC)
    towns, things = random.sample(_TOWNS, 3), random.sample(_THINGS, 6)
    news = {2 * n + 1: f"I have moved to {town}." for n, town in enumerate(towns, 1)}
    news |= {
        9 + n: f"I bought a {random.choice(_COLOURS)} {thing}." for n, thing in enumerate(things)
    }
    ids: dict[int, str] = {}
    for session in range(_PIECES):
        time = (start + timedelta(days=6 * session)).isoformat()
        texts = [*_talk(random, 24)]
        if session in news:
            texts[2 * random.randrange(12)] = news[session]
        for n, text in enumerate(texts):
            ids |= {session: f"t{len(turns) + 1}"} if text == news.get(session) else {}
            said = {"id": f"t{len(turns) + 1}", "session": f"s{session + 1}", "time": time}
            role = "user" if n % 2 == 0 else "assistant"
            who = {"speaker": name} if role == "user" else {}
            turns.append({**said, "role": role, **who, "text": text})
    questions["Where do I live?"] = (towns[2], [ids[7]])
    questions["In which town do I live now?"] = (towns[1], [ids[5]])
    for session in (9, 10, 11, 12):
        colour, thing = news[session].removeprefix("I bought a ").rstrip(".").split()
        questions[f"Which colour is the {thing} that I bought?"] = (colour, [ids[session]])
    return turns, questions, {"asked_after": [None, ids[5], *[None] * 4]}


# What makes a history of each kind, and how a piece of it begins that no chunk may split.
_KINDS: dict[str, tuple[Callable[[Random], _Row], str]] = {
    "chats": (_chats, ""),
    "documents": (_documents, r"^Document \d+:"),
    "facts": (_facts, r"^Fact \d+:"),
}
