"""What a run is: everything that its figures depend on, recorded and compared on resume."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

from mabench._version import __version__
from mabench.errors import UsageError
from mabench.runs.records.store import SCHEMA

# The packages whose version can change a figure.
_PACKAGES = (
    "bm25s",
    "nltk",
    "numpy",
    "openai",
    "pyarrow",
    "rapidfuzz",
    "scikit-learn",
    "scipy",
    "sentencex",
    "tiktoken",
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run; two runs with equal settings may share a folder.

    Attributes:
        agent: the agent's name.
        data: name, location, fingerprint and hub revision of the data set.
        questions: how many questions the run asks, by source.
        protocol: the protocol's name.
        chunk_tokens: a chunk size that replaces the protocol's, or None.
        prompts: hash of the prompts.
        model: the model that reads, as ``ModelSpec.identity`` says; None without one.
        rows: the indices of the rows within their splits, when only some are run.
        limit_questions: how many questions of each row are asked, when not all.
        sources: family and split of each declared source.
    """

    agent: str
    data: Mapping[str, Any]
    questions: Mapping[str, int]
    protocol: str
    chunk_tokens: int | None
    prompts: str
    model: Mapping[str, object] | None = None
    rows: tuple[int, ...] | None = None
    limit_questions: int | None = None
    sources: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def as_record(self) -> dict[str, Any]:
        """Return the content of ``run.json``."""
        return {
            "schema": SCHEMA,
            "mabench": __version__,
            "agent": self.agent,
            "data": dict(self.data),
            "questions": dict(self.questions),
            "protocol": self.protocol,
            "chunk_tokens": self.chunk_tokens,
            "prompts": self.prompts,
            "model": self.model and dict(self.model),
            "rows": self.rows and list(self.rows),
            "limit_questions": self.limit_questions,
            "python": platform.python_version(),
            "platform": sys.platform,
            "packages": _versions(),
            **({"sources": dict(self.sources)} if self.sources else {}),
        }

    def refuse_if_other(self, record: Mapping[str, Any], folder: object) -> None:
        """Check that a recorded run is this one.

        Raises:
            UsageError: when a setting differs, naming it and both values.
        """
        for name, here, there in self._pairs(record):
            if here != there:
                raise UsageError(
                    f"{folder} holds another run: {name} is {there!r} there and {here!r} here; "
                    "give another --out"
                )

    def equals(self, record: Mapping[str, Any]) -> bool:
        """Whether a recorded run is this one."""
        return all(here == there for _, here, there in self._pairs(record))

    def _pairs(self, record: Mapping[str, Any]) -> list[tuple[str, object, object]]:
        data = record.get("data", {})
        return [
            ("agent", self.agent, record.get("agent")),
            ("data fingerprint", self.data["fingerprint"], data.get("fingerprint")),
            ("questions by source", dict(self.questions), record.get("questions")),
            ("protocol", self.protocol, record.get("protocol")),
            ("chunk-tokens", self.chunk_tokens, record.get("chunk_tokens")),
            ("prompts hash", self.prompts, record.get("prompts")),
            ("model", self.model and dict(self.model), record.get("model")),
            ("row", self.rows and list(self.rows), record.get("rows")),
            ("limit-questions", self.limit_questions, record.get("limit_questions")),
            ("declared sources", dict(self.sources), record.get("sources", {})),
        ]


def _versions() -> dict[str, str]:
    versions = {}
    for name in _PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions
