"""The prompts of a run and of its judges: our own words, or a user's, with a hash of them."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from mabench.data import BY_NAME, Source
from mabench.errors import UsageError
from mabench.families.family import JudgePrompt
from mabench.families.registry import families_of
from mabench.suggestions import unknown

# The slot that a template must hold: that of its role, and in judges' prompts the answer.
_SLOT = {"answer": "{question}", "memorize": "{chunk}"}
_JUDGE_SLOT = "{prediction}"
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
        return self.templates[family]["answer"].replace("{question}", question)

    def tell(self, family: str, chunk: str) -> str:
        """Return what an agent is handed to memorize ``chunk``.

        ``{time}`` in a user's template becomes the present time, as in the published protocol.
        """
        template = self.templates[family]["memorize"]
        if "{time}" in template:
            template = template.replace("{time}", f"{datetime.now():%Y-%m-%d %H:%M:%S}")
        return template.replace("{chunk}", chunk)

    def ask_judge(self, family: str, prompt: JudgePrompt) -> str:
        """Return the text of a judge's prompt.

        Slots are filled in one pass, so that what fills one is never read as another.
        """
        return _ANY_SLOT.sub(
            lambda slot: prompt.slots.get(slot[1], slot[0]), self.templates[family][prompt.role]
        )

    def judge_hash(self, family: str) -> str:
        """Return the sha256 over the judge's templates of a family."""
        roles = self.templates[family].items()
        return _hashed({role: text for role, text in roles if role not in _SLOT})


def load_prompts(path: Path | None = None, sources: Mapping[str, Source] = BY_NAME) -> Prompts:
    """Return the families' own prompts, with those that the TOML file at ``path`` replaces.

    The file has a table for each family and a string for each role::

        [icl]
        answer = "Label this text with a number. {question}"

    Args:
        path: the file, if any.
        sources: the sources of the data set, whose families have prompts.

    Raises:
        UsageError: when the file cannot be read, names an unknown family or role, or leaves
            out the slot that a role needs, or when a family of ``sources`` cannot be loaded.
    """
    templates = {
        name: {
            "memorize": "{chunk}",
            **family.prompts,
            **(family.rubric.templates if family.rubric else {}),
        }
        for name, family in families_of(sources).items()
    }
    for name, roles in (_read(path) if path else {}).items():
        if name not in templates:
            raise UsageError(unknown(f"{path}: unknown family", name, templates))
        if not isinstance(roles, dict):
            raise UsageError(f"{path}: [{name}] must be a table of role = prompt")
        for role, template in roles.items():
            place = f"{path}: [{name}] {role}"
            if role not in templates[name]:
                raise UsageError(unknown(f"{path}: [{name}]: unknown role", role, templates[name]))
            templates[name][role] = _checked(template, place, _SLOT.get(role, _JUDGE_SLOT))
    return Prompts(templates)


def search_query(prompt: str) -> str:
    """Return what a retrieval agent searches with, by the published protocol (arXiv 2507.05257).

    That is the text after the last ``Now Answer the Question:``, else after the last
    ``Here is the conversation:``, else the whole prompt.
    """
    for marker in ("Now Answer the Question:", "Here is the conversation:"):
        _, found, rest = prompt.rpartition(marker)
        if found and rest.strip():
            return rest.strip()
    return prompt


def _hashed(templates: Mapping[str, object]) -> str:
    canonical = json.dumps(templates, sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _read(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(
            f"{path}: not a readable TOML file: {error}; give one of prompts by family and role",
            parameter="prompts",
        ) from error


def _checked(template: object, place: str, slot: str) -> str:
    if not isinstance(template, str) or slot not in template:
        raise UsageError(f"{place}: must be a string that holds {slot}")
    return template
