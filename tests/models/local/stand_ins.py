"""A GGUF file without a model, and the package that serves one without llama.cpp."""

import json
import shutil
import struct
from pathlib import Path
from typing import Any, NamedTuple

VERSION = "2026.11.1"


def gguf(architecture: str = "llama", context: int | None = 4096, padding: int = 0) -> bytes:
    """Return the head of a file, with a list of texts before what is looked for."""
    names = _text("tokenizer.tokens") + struct.pack("<IIQ", 9, 8, 2) + _text("a") + _text("bc")
    scores = _text("tokenizer.scores") + struct.pack("<IIQ2f", 9, 6, 2, 0.5, 1.0)
    values = [names, scores, _text("general.architecture") + struct.pack("<I", 8)]
    values[-1] += _text(architecture)
    if context is not None:
        name = _text(f"{architecture}.context_length")
        values.append(name + struct.pack("<II", 4, context))
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, len(values))
    return head + b"".join(values) + bytes(padding)


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()


class StandIn(NamedTuple):
    """Where the stand-in is, and what it was asked."""

    folder: Path  # On the path of Python.
    model: Path  # A GGUF file.
    log: Path

    @property
    def lines(self) -> list[dict[str, Any]]:
        if not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text("utf-8").splitlines()]

    @property
    def started(self) -> list[dict[str, Any]]:
        return [line for line in self.lines if "started" in line]

    @property
    def asked(self) -> list[str]:
        """The prompts but for preflights."""
        prompts = [str(line["asked"]) for line in self.lines if "asked" in line]
        return [prompt for prompt in prompts if prompt != "Reply with OK."]


def install(place: Path) -> StandIn:
    """Put the stand-in into a folder."""
    folder = place / "packages"
    about = folder / f"xllamacpp-{VERSION}.dist-info"
    about.mkdir(parents=True)
    metadata = f"Metadata-Version: 2.1\nName: xllamacpp\nVersion: {VERSION}\n"
    (about / "METADATA").write_text(metadata, encoding="utf-8")
    shutil.copy(Path(__file__).with_name("xllamacpp.py"), folder)
    model = place / "tiny.gguf"
    model.write_bytes(gguf())
    return StandIn(folder, model, place / "log.jsonl")
