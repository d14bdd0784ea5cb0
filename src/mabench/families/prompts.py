"""The prompts for agents and judges: our own, or those of a user's file, with their hashes."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from mabench.data import BY_NAME, Source
from mabench.errors import UsageError, unknown
from mabench.families.registry import families_of
from mabench.families.rubric import UNCLEAR, JudgePrompt
from mabench.userfile import read_tables

# The system message of a reading model under the protocols of the published code, which has one.
SYSTEM_MESSAGE = (
    "You are an assistant with a memory: what you were told earlier is at hand when you answer."
)

# The slot that a template must contain, by its role; all others are prompts for judges.
_SLOT_OF_ROLE = {"answer": "{question}", "memorize": "{chunk}", "system": ""}
_JUDGE_SLOT = "{prediction}"
_ANY_SLOT = re.compile(r"\{(\w+)\}")
# The marks that enclose an answer in a judge's prompt.
_MARK = re.compile(r"<+|>+")
_SHORTEST_MARK = 3
_SHIPPED_FILES = Path(__file__).parent / "prompt_files"
# What a file may set besides templates: type, least and greatest value, and both in words.
_JUDGE_SETTINGS = {
    "judge_tokens": (int, 1, math.inf, "a whole number of at least 1"),
    "judge_temperature": (int | float, 0, 2, "a number from 0 to 2"),
}


@dataclass(frozen=True)
class Prompts:
    """Templates by family and role, and the settings of judges."""

    templates: Mapping[str, Mapping[str, str]]
    # By family: ``judge_tokens`` limits a reply, and ``judge_temperature`` is that of the first
    # request. What is not set is left to the settings of the judge.
    judges: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def hash(self) -> str:
        """The SHA-256 of the templates that agents see, which a run records."""
        seen_by_agents = {
            family: {role: text for role, text in roles.items() if role in _SLOT_OF_ROLE and text}
            for family, roles in self.templates.items()
        }
        return _hash_of(seen_by_agents)

    def ask(self, family: str, question: str) -> str:
        """Return the prompt that asks ``question``."""
        return self.templates[family]["answer"].replace("{question}", question)

    def tell(self, family: str, chunk: str) -> str:
        """Return the text with which an agent gets a chunk to memorize.

        ``{time}`` in a user's template becomes the present time, as in the published protocol.
        """
        template = self.templates[family]["memorize"]
        if "{time}" in template:
            template = template.replace("{time}", f"{datetime.now():%Y-%m-%d %H:%M:%S}")
        return template.replace("{chunk}", chunk)

    def system(self, family: str) -> str:
        """Return the system message for a reading model; empty if there is none."""
        return self.templates[family]["system"]

    def ask_judge(self, family: str, prompt: JudgePrompt) -> str:
        """Return the text of a judge's prompt.

        All slots are filled in one pass, so that a slot in an answer is never filled.
        """
        template = self.templates[family][prompt.role]
        slots = {**_marks_around(prompt.slots.values()), **prompt.slots}
        return _ANY_SLOT.sub(lambda slot: slots.get(slot[1], slot[0]), template)

    def judge_hash(self, family: str) -> str:
        """Return the SHA-256 of the judge's templates and settings for a family."""
        roles = self.templates[family].items()
        templates = {role: text for role, text in roles if role not in _SLOT_OF_ROLE}
        return _hash_of({**templates, **self.judges.get(family, {})})

    @classmethod
    def load(
        cls, path: Path | None = None, sources: Mapping[str, Source] = BY_NAME, *, system: str = ""
    ) -> Prompts:
        """Return the families' own prompts, replaced by those in the TOML file at ``path``.

        The file has a table for each family and a string for each role; judges have two settings::

            [icl]
            answer = "Label this text with a number. {question}"
            system = "You are a classifier."

            [infbench]
            judge_tokens = 4096
            judge_temperature = 0.1

        ``path`` may be ``paper``: a file of ours that wraps chunks as the published code does, in
        our own words. ``system`` is the system message where the file has none.

        Raises:
            UsageError: when the file cannot be read, names an unknown family or role, or leaves
                out the slot that a role needs, or when a family of ``sources`` cannot be loaded.
        """
        families = families_of(sources)
        common = {"memorize": "{chunk}", "system": system}
        templates = {
            name: {**common, **family.prompts, **(family.rubric or UNCLEAR).templates}
            for name, family in families.items()
        }
        judges: dict[str, dict[str, float]] = {}
        tables = _read_file(path) if path else {}
        for name, roles in tables.items():
            if name not in templates:
                raise UsageError(unknown(f"{path}: unknown family", name, templates))
            if not isinstance(roles, dict):
                raise UsageError(f"{path}: [{name}] must be a table of role = prompt")
            known = {*templates[name], *_JUDGE_SETTINGS}
            for role, value in roles.items():
                if role not in known:
                    what = f"{path}: [{name}]: unknown role"
                    raise UsageError(unknown(what, role, sorted(known)))
                place = f"{path}: [{name}] {role}"
                if role in _JUDGE_SETTINGS:
                    _check_judge_setting(role, value, place)
                    judges.setdefault(name, {})[role] = value
                else:
                    _check_template(role, value, place)
                    templates[name][role] = value
        return cls(templates, judges)


def _check_judge_setting(role: str, value: Any, place: str) -> None:
    """Raise a ``UsageError`` unless a judge's setting is a number within its bounds."""
    kind, least, greatest, expected = _JUDGE_SETTINGS[role]
    is_number = isinstance(value, kind) and not isinstance(value, bool)
    if not (is_number and least <= value <= greatest):
        raise UsageError(f"{place}: is {value!r}; it must be {expected}")


def _check_template(role: str, value: Any, place: str) -> None:
    """Raise a ``UsageError`` unless a template is a string with the slot of its role."""
    slot = _SLOT_OF_ROLE.get(role, _JUDGE_SLOT)
    if not isinstance(value, str) or slot not in value:
        with_slot = f" that holds {slot}" if slot else ""
        raise UsageError(f"{place}: must be a string{with_slot}")


def _marks_around(texts: Iterable[str]) -> dict[str, str]:
    """Return marks to enclose these texts, longer than any mark that they contain."""
    runs = (len(run) for text in texts for run in _MARK.findall(text))
    length = max(_SHORTEST_MARK, max(runs, default=0) + 1)
    return {"opening": "<" * length, "closing": ">" * length}


def _hash_of(templates: Mapping[str, object]) -> str:
    """Return the SHA-256 of templates, whatever their order."""
    canonical = json.dumps(templates, sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _read_file(path: Path) -> dict[str, object]:
    """Return the tables of a file of prompts, which may be named like one of ours."""
    shipped = _SHIPPED_FILES / f"{path}.toml"
    is_bare_name = path.name == str(path)
    file = shipped if is_bare_name and shipped.is_file() else path
    return read_tables(file, "give one of prompts by family and role", "prompts")
