"""Joins PrecisionMemBench's beliefs with its cases, and writes what must come back for each case.

A belief is something known about a user; a case is a query with what it expects to come back. A
gold is an object as JSON text with all that the published scoring needs (``_gold_of`` lists its
fields). ``description.toml`` says how the files become rows, and names the functions here for what
it cannot express. A ``JsonPart`` is a value of a file with its place: ``case["query"].of(str)`` is
the string in its field ``query``, or a ``FieldError``; ``part.value`` is the value unchecked, None
if it is missing.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

from mabench.data.descriptions.asked import ToldHistory
from mabench.data.descriptions.parts import FieldError, JsonPart
from mabench.data.problems import Problem
from mabench.data.records import Record

_BELIEFS, _CASES = "beliefs.seed.json", "retrieval.cases.json"
_USER = "test-user"  # The user of a case that names none.
# How many beliefs and open questions count, if a case does not say; by the published code.
_MOST_BELIEFS, _MOST_QUESTIONS = 20, 15
# What is asked in a case with an empty query; nothing that comes back counts then.
_NO_WORDS = "(no words)"


def find_files(path: Path) -> list[Path]:
    """Return the file of beliefs and that of cases, or nothing unless both are there.

    They are in a folder or its ``fixtures``; the path may also be one of the two files.
    """
    folders = [path, path / "fixtures"] if path.is_dir() else [path.parent]
    for folder in folders:
        files = [folder / _BELIEFS, folder / _CASES]
        is_asked_for = path.is_dir() or path in files
        if is_asked_for and all(file.is_file() for file in files):
            return files
    return []


def join(path: Path) -> Iterator[Record | Problem]:
    """Yield one row: all beliefs, with the cases about them.

    A case whose user has no belief is left out, with a warning before the row.
    """
    beliefs_file, cases_file = find_files(path)
    record = Record(str(beliefs_file), 0, split=None, content=None)
    try:
        beliefs = JsonPart.of_file(record)
        cases = JsonPart.of_file(record._replace(file=str(cases_file))).items()
        users = {belief["user_id"].of(str) for belief in beliefs.items()}
        answerable = [_with_beliefs(case, beliefs) for case in cases if _user(case) in users]
        for case in cases:
            if _user(case) not in users:
                expected = "a user with beliefs: nobody else can be asked for; it is left out"
                yield case["userId"].doubt(expected)
    except FieldError as error:
        yield error.problem
        return
    yield record._replace(content={"beliefs": beliefs, "cases": answerable})


def _with_beliefs(case: JsonPart, beliefs: JsonPart) -> JsonPart:
    """Return a case with all beliefs as one more field, which its gold is made from."""
    return JsonPart(case.record, {**case.of(dict), "beliefs": beliefs}, case.place)


def _user(case: JsonPart) -> str:
    """Return the user whose beliefs a case is about."""
    return _USER if case["userId"].value is None else case["userId"].of(str)


def text_of(belief: JsonPart) -> str:
    """Return a belief as the published code tells it: name, aliases, content and why it matters."""
    parts = [belief["canonical_name"].text()]
    parts += [alias.of(str) for alias in belief["aliases"].items()]
    return " ".join([*parts, belief["content"].text(), belief["why_it_matters"].of(str)]).strip()


def query(case: JsonPart) -> str:
    """Return the query of a case; a substitute if it is empty, for a question must have words."""
    return case["query"].of(str).strip() or _NO_WORDS


def gold(case: JsonPart, kind: str | None) -> str:
    """Return the gold of a case as JSON text; its type does not matter."""
    return json.dumps(_gold_of(case), ensure_ascii=False)


def _gold_of(case: JsonPart) -> dict[str, Any]:
    """Return what a case expects, and what the published scoring needs to know beside.

    All beliefs are named by their ids. The fields are:
        expect: the expectations of each tier, as in the file
        pinned: the user's beliefs in the scope of the case that the published code adds by itself
        questions: the user's open questions in that scope, which it adds as well
        always_pinned: the pinned beliefs of the default user, which count for no recall
        most, most_questions: how many beliefs and open questions count at most
        is_blank: whether the query is empty
        expands: the beliefs that a relation between beliefs joins, by the id of the relation
        texts: the text of every belief, by its id
    """
    beliefs = case["beliefs"].items()
    user = _user(case)
    scope = {name.of(str) for name in case["scope"].items()}
    texts = {belief["_id"].of(str): text_of(belief) for belief in beliefs}
    in_scope = {
        belief["_id"].of(str): belief for belief in beliefs if _is_in_scope(belief, user, scope)
    }
    # By the published code a case without a scope pins nothing, but joins beliefs of any scope.
    of_user = {belief["_id"].of(str) for belief in beliefs if belief["user_id"].of(str) == user}
    joinable = in_scope.keys() if scope else of_user
    pinned = [
        name
        for name, belief in in_scope.items()
        if belief["pinned"].value is True and not belief["resolved_at"].value
    ]
    return {
        "expect": _expectations(case["expect"], set(texts)),
        "pinned": [name for name in pinned if _is_current_fact(in_scope[name])],
        "questions": [name for name in pinned if _is_open_question(in_scope[name])],
        "always_pinned": [
            belief["_id"].of(str)
            for belief in beliefs
            if belief["pinned"].value is True and belief["user_id"].value == _USER
        ],
        "most": _limit(case, "maxBeliefs", _MOST_BELIEFS),
        "most_questions": _limit(case, "maxQuestions", _MOST_QUESTIONS),
        "is_blank": not case["query"].of(str).strip(),
        "expands": {
            belief["_id"].of(str): _participants(belief, joinable)
            for belief in beliefs
            if belief["type"].value == "relation" and belief["participants"].value is not None
        },
        "texts": texts,
    }


def _is_in_scope(belief: JsonPart, user: str, scope: set[str]) -> bool:
    """Return whether a belief is a user's, and has one of the names in its own scope."""
    names = {name.of(str) for name in belief["scope"].items()}
    return belief["user_id"].of(str) == user and not names.isdisjoint(scope)


def _is_open_question(belief: JsonPart) -> bool:
    """Return whether a belief is a question that the user left open."""
    return bool(belief["type"].value == "open_question")


def _is_current_fact(belief: JsonPart) -> bool:
    """Return whether a belief is no open question, and no later belief replaces it."""
    return not _is_open_question(belief) and not belief["superseded_by"].value


def _participants(relation: JsonPart, joinable: Container[str]) -> list[str]:
    """Return the ids of the beliefs that a relation joins, of those that it may join in a case."""
    ids = [participant.of(str) for participant in relation["participants"].items()]
    return [name for name in ids if name in joinable]


def _limit(case: JsonPart, name: str, default: int) -> int:
    """Return a number of a case's budget, or the default if it does not have it."""
    budget = case["budget"]
    if budget.value is None or name not in budget.of(dict):
        return default
    return budget[name].of(int)


# The kinds of what comes back: what was found, and what the published code adds.
_TIERS = ("relevantBeliefs", "pinnedFacts", "openQuestions")
# The expectations that are numbers. Others are lists of ids, or of pairs of ids.
_COUNTS = ("minCount", "maxCount")
_PAIRS = "orderedBefore"


def _expectations(expect: JsonPart, known_ids: set[str]) -> dict[str, dict[str, Any]]:
    """Return the expectations of a case by tier and name, as in the file, but checked.

    Raises ``FieldError`` for an id of no belief. The tier ``prelude`` is left out, because no
    memory makes what it expects.
    """
    tiers: dict[str, dict[str, Any]] = {}
    for tier in _TIERS:
        if expect[tier].value is None:
            continue
        tiers[tier] = {}
        for name, value in expect[tier].of(dict).items():
            expectation = expect[tier][name]
            if name in _COUNTS:
                expectation.of(int)
            else:
                _check_ids(expectation, known_ids, are_pairs=name == _PAIRS)
            tiers[tier][name] = value
    return tiers


def _check_ids(expectation: JsonPart, known_ids: set[str], *, are_pairs: bool) -> None:
    """Raise a ``FieldError`` unless an expectation lists ids of beliefs, or pairs of such ids."""
    for item in expectation.items():
        for belief_id in item.items() if are_pairs else [item]:
            if belief_id.of(str) not in known_ids:
                raise belief_id.fault("the id of a belief")


def evidence(case: JsonPart, history: ToldHistory) -> list[str]:
    """Return the ids of the beliefs that a case expects to come back."""
    expectations = case["expect"]["relevantBeliefs"]
    if expectations.value is None:
        return []
    ids: list[str] = []
    for name in ("mustInclude", "shouldInclude", "shouldOnlyInclude"):
        if expectations[name].value:
            ids += [belief_id.of(str) for belief_id in expectations[name].items()]
    return ids
