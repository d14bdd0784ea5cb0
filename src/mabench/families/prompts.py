"""The prompts of a run and of its judges: our own words, or a user's, with a hash of them."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from mabench.data import BY_NAME, Source
from mabench.errors import UsageError, unknown
from mabench.families.registry import families_of
from mabench.families.rubric import UNCLEAR, JudgePrompt
from mabench.userfile import read_tables

# What a model that reads is told under the protocols of the published code, which has a system
# message, too.
SYSTEM_MESSAGE = (
    "You are an assistant with a memory: what you were told earlier is at hand when you answer."
)

# The slot that a template must hold: that of its role, and in judges' prompts the answer.
_SLOT = {"answer": "{question}", "memorize": "{chunk}", "system": ""}
_JUDGE_SLOT = "{prediction}"
_ANY_SLOT = re.compile(r"\{(\w+)\}")
# Around an answer in a judge's prompt.
_MARK = re.compile(r"<+|>+")
_SHORTEST_MARK = 3
_SHIPPED = Path(__file__).parent / "prompt_files"


# What a file may set beside templates: its type, its bounds, and those in words.
_JUDGE_SETTINGS = {
    "judge_tokens": (int, 1, math.inf, "a whole number of at least 1"),
    "judge_temperature": (int | float, 0, 2, "a number from 0 to 2"),
}


@dataclass(frozen=True)
class Prompts:
    """Templates by family and role, and how judges are asked."""

    templates: Mapping[str, Mapping[str, str]]
    # By family ``judge_tokens``, the longest reply, and ``judge_temperature``, that of the first
    # request; what is not there is left to whoever judges.
    judges: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def hash(self) -> str:
        """The sha256 over the templates that agents see, which a run records."""
        shown = {
            family: {role: text for role, text in roles.items() if role in _SLOT and text}
            for family, roles in self.templates.items()
        }
        return _hashed(shown)

    def ask(self, family: str, question: str) -> str:
        """Return the prompt that asks ``question``."""
        return self.templates[family]["answer"].replace("{question}", question)

    def tell(self, family: str, chunk: str) -> str:
        """Return what an agent is handed to memorize ``chunk``.

        ``{time}`` in a user's template becomes the present time, as in the published protocol.
        """
        template = self.templates[family]["memorize"]
        if "{time}" in template:
            template = template.replace("{time}", f"{datetime.now():%Y-%m-%d %H:%M:%S}")
        return template.replace("{chunk}", chunk)

    def system(self, family: str) -> str:
        """Return the system message for a model that reads; empty without one."""
        return self.templates[family]["system"]

    def ask_judge(self, family: str, prompt: JudgePrompt) -> str:
        """Return the text of a judge's prompt.

        Slots are filled in one pass, so that what fills one is never read as another.
        """
        template = self.templates[family][prompt.role]
        slots = {**_marks_around(prompt.slots.values()), **prompt.slots}
        return _ANY_SLOT.sub(lambda slot: slots.get(slot[1], slot[0]), template)

    def judge_hash(self, family: str) -> str:
        """Return the sha256 over the judge's templates and settings of a family."""
        roles = self.templates[family].items()
        templates = {role: text for role, text in roles if role not in _SLOT}
        return _hashed({**templates, **self.judges.get(family, {})})

    @classmethod
    def load(
        cls, path: Path | None = None, sources: Mapping[str, Source] = BY_NAME, *, system: str = ""
    ) -> Prompts:
        """Return the families' own prompts, with those that the TOML file at ``path`` replaces.

        The file has a table for each family and a string for each role; judges have two settings::

            [icl]
            answer = "Label this text with a number. {question}"
            system = "You are a classifier."

            [infbench]
            judge_tokens = 4096
            judge_temperature = 0.1

        ``path`` may be ``paper`` for the shipped file, whose chunks are told as the published code
        tells them, in our words; ``system`` is the system message where the file has none.

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
        for name, roles in (_read(path) if path else {}).items():
            if name not in templates:
                raise UsageError(unknown(f"{path}: unknown family", name, templates))
            if not isinstance(roles, dict):
                raise UsageError(f"{path}: [{name}] must be a table of role = prompt")
            known = {*templates[name], *_JUDGE_SETTINGS}
            for role, given in roles.items():
                place = f"{path}: [{name}] {role}"
                if role not in known:
                    what = f"{path}: [{name}]: unknown role"
                    raise UsageError(unknown(what, role, sorted(known)))
                if role in _JUDGE_SETTINGS:
                    kind, least, most, what = _JUDGE_SETTINGS[role]
                    is_number = isinstance(given, kind) and not isinstance(given, bool)
                    if not (is_number and least <= given <= most):
                        raise UsageError(f"{place}: is {given!r}; it must be {what}")
                    judges.setdefault(name, {})[role] = given
                    continue
                slot = _SLOT.get(role, _JUDGE_SLOT)
                if not isinstance(given, str) or slot not in given:
                    holds = f" that holds {slot}" if slot else ""
                    raise UsageError(f"{place}: must be a string{holds}")
                templates[name][role] = given
        return cls(templates, judges)


def _marks_around(texts: Iterable[str]) -> dict[str, str]:
    """Return marks that can be around these texts, since none of them holds a mark as long."""
    runs = (len(run) for text in texts for run in _MARK.findall(text))
    length = max(_SHORTEST_MARK, max(runs, default=0) + 1)
    return {"opening": "<" * length, "closing": ">" * length}


def _hashed(templates: Mapping[str, object]) -> str:
    canonical = json.dumps(templates, sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _read(path: Path) -> dict[str, object]:
    shipped = _SHIPPED / f"{path}.toml"
    file = shipped if path.name == str(path) and shipped.is_file() else path
    return read_tables(file, "give one of prompts by family and role", "prompts")
