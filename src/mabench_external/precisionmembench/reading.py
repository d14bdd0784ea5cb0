"""What the description of PrecisionMemBench cannot say: what must come back for each case.

A gold is an object as JSON text with everything that the published code goes by: what a case
expects, the beliefs that it adds by itself, how many it takes, and the text of every belief.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mabench.data.descriptions.asked import ToldHistory
from mabench.data.descriptions.parts import FieldError, JsonPart
from mabench.data.problems import Problem
from mabench.data.records import Record

_BELIEFS, _CASES = "beliefs.seed.json", "retrieval.cases.json"
_USER = "test-user"  # Whose beliefs a case is about that names no user.
_MOST_BELIEFS, _MOST_QUESTIONS = 20, 15  # By the published code.
# What a question says where a case has none; nothing that it finds counts.
_NO_WORDS = "(no words)"
_TOLD = ("canonical_name", "aliases", "content", "why_it_matters")


def find_files(path: Path) -> list[Path]:
    """Return the beliefs and the cases in a folder or its ``fixtures``, or beside a file."""
    folders = [path, path / "fixtures"] if path.is_dir() else [path.parent]
    for folder in folders:
        files = [folder / _BELIEFS, folder / _CASES]
        if all(map(Path.is_file, files)) and (path.is_dir() or path in files):
            return files
    return []


def join(path: Path) -> Iterator[Record | Problem]:
    """Yield the beliefs with the cases about them."""
    beliefs_file, cases_file = find_files(path)
    record = Record(str(beliefs_file), 0, None, None)
    try:
        beliefs = JsonPart.of_file(record)
        cases = JsonPart.of_file(record._replace(file=str(cases_file)))
        users = {belief["user_id"].of(str) for belief in beliefs.items()}
        known = [_with_beliefs(case, beliefs) for case in cases.items() if _user(case) in users]
        for case in cases.items():
            if _user(case) not in users:
                expected = "a user with beliefs: nobody else can be asked for; it is left out"
                yield case["userId"].doubt(expected)
    except FieldError as error:
        yield error.problem
        return
    yield record._replace(content={"beliefs": beliefs, "cases": known})


def _with_beliefs(case: JsonPart, beliefs: JsonPart) -> JsonPart:
    return JsonPart(case.record, {**case.of(dict), "beliefs": beliefs}, case.place)


def _user(case: JsonPart) -> str:
    return _USER if case["userId"].value is None else case["userId"].of(str)


def told(belief: JsonPart) -> str:
    """Return a belief as the published code tells it: name, aliases, content and why it matters."""
    parts = [belief["canonical_name"].text()]
    parts += [alias.of(str) for alias in belief["aliases"].items()]
    return " ".join([*parts, belief["content"].text(), belief["why_it_matters"].of(str)]).strip()


def query(case: JsonPart) -> str:
    """Return the query of a case."""
    return case["query"].of(str).strip() or _NO_WORDS


def expected(case: JsonPart, kind: str | None) -> str:
    """Return what must come back for a case, and what the published code adds to it."""
    beliefs = case["beliefs"].items()
    user, scope = _user(case), {one.of(str) for one in case["scope"].items()}
    budget = case["budget"]
    most = {} if budget.value is None else budget.of(dict)
    texts = {belief["_id"].of(str): told(belief) for belief in beliefs}
    own = {belief["_id"].of(str): belief for belief in beliefs if _is_of(belief, user, scope)}
    # By the published code a case without a scope pins nothing, but joins beliefs of any.
    of_user = {belief["_id"].of(str) for belief in beliefs if belief["user_id"].of(str) == user}
    joinable = own.keys() if scope else of_user
    pinned = [name for name, belief in own.items() if belief["pinned"].value is True]
    opened = [name for name in pinned if not own[name]["resolved_at"].value]
    content: dict[str, Any] = {
        "expect": _expectations(case["expect"], set(texts)),
        "pinned": [
            name
            for name in opened
            if own[name]["type"].value != "open_question" and not own[name]["superseded_by"].value
        ],
        "questions": [name for name in opened if own[name]["type"].value == "open_question"],
        "always_pinned": [
            belief["_id"].of(str)
            for belief in beliefs
            if belief["pinned"].value is True and belief["user_id"].value == _USER
        ],
        "most": _count(budget, most, "maxBeliefs", _MOST_BELIEFS),
        "most_questions": _count(budget, most, "maxQuestions", _MOST_QUESTIONS),
        "is_blank": not case["query"].of(str).strip(),
        "expands": {
            belief["_id"].of(str): [
                one.value for one in belief["participants"].items() if one.of(str) in joinable
            ]
            for belief in beliefs
            if belief["type"].value == "relation" and belief["participants"].value is not None
        },
        "texts": texts,
    }
    return json.dumps(content, ensure_ascii=False)


def _is_of(belief: JsonPart, user: str, scope: set[str]) -> bool:
    """Return whether a belief is a user's, within a scope."""
    names = {one.of(str) for one in belief["scope"].items()}
    return belief["user_id"].of(str) == user and bool(names & scope)


def _count(budget: JsonPart, fields: dict[str, Any], name: str, default: int) -> int:
    return budget[name].of(int) if name in fields else default


_TIERS = ("relevantBeliefs", "pinnedFacts", "openQuestions")
_COUNTS = ("minCount", "maxCount")


def _expectations(expect: JsonPart, known: set[str]) -> dict[str, dict[str, Any]]:
    """Return what a case expects of each tier but the prelude, which no memory makes."""
    tiers: dict[str, dict[str, Any]] = {}
    for tier in _TIERS:
        if expect[tier].value is None:
            continue
        tiers[tier] = {}
        for name, value in expect[tier].of(dict).items():
            part = expect[tier][name]
            if name in _COUNTS:
                tiers[tier][name] = part.of(int)
                continue
            pairs = [one.items() if name == "orderedBefore" else [one] for one in part.items()]
            for unknown in (one for pair in pairs for one in pair if one.of(str) not in known):
                raise unknown.fault("the id of a belief")
            tiers[tier][name] = value
    return tiers


def evidence(case: JsonPart, history: ToldHistory) -> list[str]:
    """Return the ids of the beliefs that must come back."""
    found = case["expect"]["relevantBeliefs"]
    if found.value is None:
        return []
    names = ("mustInclude", "shouldInclude", "shouldOnlyInclude")
    return [one.of(str) for name in names if found[name].value for one in found[name].items()]
