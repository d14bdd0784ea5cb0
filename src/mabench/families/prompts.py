"""The prompts of a run and of its judges: our own words, or a user's, with a hash of them."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

from mabench.errors import UsageError
from mabench.families.family import ANSWER, MEMORIZE, Family
from mabench.families.rubric import JudgePrompt

# The slot that a template must hold: that of its role, and in judges' prompts the answer.
_SLOT = {ANSWER: "{question}", MEMORIZE: "{chunk}"}
_JUDGED_SLOT = "{prediction}"
_ANY_SLOT = re.compile(r"\{(\w+)\}")


class Prompts:
    """Templates by family and role.

    Attributes:
        templates: family name to role to template.
        hash: sha256 over the templates that agents see, which a run records.
    """

    def __init__(self, templates: Mapping[str, Mapping[str, str]]) -> None:
        self.templates = templates
        self.hash = _hashed(
            {
                family: {role: text for role, text in roles.items() if role in _SLOT}
                for family, roles in templates.items()
            }
        )

    def ask(self, family: str, question: str) -> str:
        """Return the prompt that asks ``question``."""
        return self.templates[family][ANSWER].replace(_SLOT[ANSWER], question)

    def tell(self, family: str, chunk: str) -> str:
        """Return what an agent is handed to memorize ``chunk``.

        ``{time}`` in a user's template becomes the present time, as in the published protocol.
        """
        template = self.templates[family][MEMORIZE]
        if "{time}" in template:
            template = template.replace("{time}", f"{datetime.now():%Y-%m-%d %H:%M:%S}")
        return template.replace(_SLOT[MEMORIZE], chunk)

    def inquire(self, family: str, inquiry: JudgePrompt) -> str:
        """Return the prompt that puts an inquiry to a judge.

        Slots are filled in one pass, so that what fills one is never read as another.
        """
        slots = inquiry.slots
        return _ANY_SLOT.sub(
            lambda found: slots.get(found[1], found[0]), self.templates[family][inquiry.role]
        )

    def judge_hash(self, family: str) -> str:
        """Return the sha256 over the judge's templates of a family."""
        roles = self.templates[family].items()
        return _hashed({role: text for role, text in roles if role not in _SLOT})


def load_prompts(families: Iterable[Family], path: Path | None = None) -> Prompts:
    """Return the families' own prompts, with those that the TOML file at ``path`` replaces.

    The file has a table for each family and a string for each role::

        [icl]
        answer = "Label this text with a number. {question}"

    Raises:
        UsageError: when the file cannot be read, names an unknown family or role, or leaves
            out the slot that a role needs.
    """
    templates = {
        family.name: {**family.prompts, **(family.judge.prompts if family.judge else {})}
        for family in families
    }
    for name, roles in (_read(path) if path else {}).items():
        if name not in templates:
            raise UsageError(f"{path}: unknown family [{name}]; known: {', '.join(templates)}")
        if not isinstance(roles, dict):
            raise UsageError(f"{path}: [{name}] must be a table of role = prompt")
        for role, template in roles.items():
            place = f"{path}: [{name}] {role}"
            if role not in templates[name]:
                raise UsageError(
                    f"{place}: unknown role; known: {', '.join(sorted(templates[name]))}"
                )
            templates[name][role] = _checked(template, place, _SLOT.get(role, _JUDGED_SLOT))
    return Prompts(templates)


def _hashed(templates: Mapping[str, object]) -> str:
    canonical = json.dumps(templates, sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _read(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: not a readable TOML file: {error}") from error


def _checked(template: object, place: str, slot: str) -> str:
    if not isinstance(template, str) or slot not in template:
        raise UsageError(f"{place}: must be a string that holds {slot}")
    return template
