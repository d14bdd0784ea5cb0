"""The prompts of a run: our own words, or a user's from a file, with a hash of what was used."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

from mabench.errors import UsageError
from mabench.sources.family import ANSWER, MEMORIZE, Family

_SLOT = {ANSWER: "{question}", MEMORIZE: "{chunk}"}


class Prompts:
    """Templates by family and role.

    Attributes:
        templates: family name to role to template.
        hash: sha256 over all templates, which a run records.
    """

    def __init__(self, templates: Mapping[str, Mapping[str, str]]) -> None:
        self.templates = templates
        canonical = json.dumps(templates, sort_keys=True)
        self.hash = hashlib.sha256(canonical.encode()).hexdigest()

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


def load_prompts(families: Iterable[Family], path: Path | None = None) -> Prompts:
    """Return the families' own prompts, with those that the TOML file at ``path`` replaces.

    The file has a table for each family and a string for each role::

        [icl]
        answer = "Label this text with a number. {question}"

    Raises:
        UsageError: when the file cannot be read, names an unknown family or role, or leaves
            out the slot that a role needs.
    """
    templates = {family.name: dict(family.prompts) for family in families}
    for name, roles in (_read(path) if path else {}).items():
        if name not in templates:
            raise UsageError(f"{path}: unknown family [{name}]; known: {', '.join(templates)}")
        if not isinstance(roles, dict):
            raise UsageError(f"{path}: [{name}] must be a table of role = prompt")
        for role, template in roles.items():
            templates[name][role] = _checked(template, f"{path}: [{name}] {role}", role)
    return Prompts(templates)


def _read(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: not a readable TOML file: {error}") from error


def _checked(template: object, place: str, role: str) -> str:
    if role not in _SLOT:
        raise UsageError(f"{place}: unknown role; known: {', '.join(_SLOT)}")
    if not isinstance(template, str) or _SLOT[role] not in template:
        raise UsageError(f"{place}: must be a string that holds {_SLOT[role]}")
    return template
