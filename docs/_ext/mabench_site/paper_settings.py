"""The paper's baselines as commands, in Markdown.

Settings are those of the published runs (arXiv 2507.05257v4 and its repository): paper protocol,
chunks told with an instruction, temperature 0.7, gpt-4o-mini as the reader of every memory, depth
10 except where noted, the published retrievers by their own recipes. Mem0, Cognee and Zep always
got chunks of 4,096 tokens. What still differs is in docs/reference/paper-settings.md.
"""

from __future__ import annotations

from typing import NamedTuple

from mabench_site.markdown import code, table

_COMMON = "--data hub --protocol paper --prompts paper --temperature 0.7"
_READER = "--model openai/gpt-4o-mini"
_LONG_CHUNKS = "--chunk-tokens 4096"


class PaperRow(NamedTuple):
    """A row of the paper's main table.

    Attributes:
        agent: its name there.
        overall: its printed overall score, in percent.
        command: what runs it, or the nearest to it; None when nothing here does.
        note: what differs, or why there is no command.
    """

    agent: str
    overall: float | None
    command: str | None
    note: str = ""


def _reads(model: str, more: str = "") -> str:
    return " ".join(filter(None, ("mabench run long-context --model", model, more, _COMMON)))


def _remembers(agent: str, more: str = "") -> str:
    return " ".join(filter(None, ("mabench run", agent, more, _READER, _COMMON)))


def _embeds(model: str, *settings: str) -> str:
    given = (f"embeddings={model}", *settings)
    return _remembers("dense", " ".join(f"--set {setting}" for setting in given))


_PROXY = "--base-url http://localhost:4000"
_OWN = "not shipped: point --python or stdio: at your own set-up of it"

PAPER_ROWS = (
    PaperRow("GPT-4o long context", 48.8, _reads("openai/gpt-4o")),
    PaperRow("GPT-4o-mini long context", 42.2, _reads("openai/gpt-4o-mini")),
    PaperRow(
        "Claude-3.7-Sonnet long context", 49.6,
        _reads("anthropic/claude-3-7-sonnet-20250219", f"{_PROXY} --window 200000"),
        "through litellm's proxy; the published code gave it no system message",
    ),
    PaperRow(
        "GPT-5-mini long context", 60.6, _reads("openai/gpt-5-mini"),
        "it takes no temperature, which is then left out",
    ),
    PaperRow("GPT-4.1-mini long context", 46.9, _reads("openai/gpt-4.1-mini")),
    PaperRow(
        "Gemini-2.0-Flash long context", 42.4,
        _reads("gemini/gemini-2.0-flash", f"{_PROXY} --window 1048576"),
        "through litellm's proxy",
    ),
    PaperRow("BM25", 41.5, _remembers("bm25", "--set recipe=published")),
    PaperRow(
        "Contriever", 29.8, _embeds("facebook/contriever", "pooling=cls", "long_texts=cut"),
        "by the state of the first token, though the model is made for the mean",
    ),
    PaperRow(
        "text-embedding-3-small", 37.1, _embeds("openai/text-embedding-3-small", "long_texts=mean")
    ),
    PaperRow(
        "text-embedding-3-large", 38.0, _embeds("openai/text-embedding-3-large", "long_texts=mean")
    ),
    PaperRow(
        "Qwen3-Embedding-4B", 38.2,
        _embeds("Qwen/Qwen3-Embedding-4B", "pooling=mean", "long_texts=cut"),
        "by the mean of all states, though the model is made for the last",
    ),
    PaperRow("Mem0", 21.1, _remembers("mem0", f"--set k=100 {_LONG_CHUNKS}")),
    PaperRow("Cognee", 20.6, _remembers("cognee", _LONG_CHUNKS)),
    PaperRow(
        "Zep", 24.0, _remembers("graphiti", _LONG_CHUNKS),
        "nearest: Graphiti is the open part of Zep's service",
    ),
    PaperRow(
        "MemGPT", 28.3, _remembers("letta"),
        "nearest: the archival memory of Letta, as MemGPT is called now, without its agent",
    ),
    *(
        PaperRow(agent, overall, None, _OWN)
        for agent, overall in (
            ("NV-Embed-v2 (v1)", None),
            ("RAPTOR", 27.0),
            ("GraphRAG", 23.4),
            ("MemoRAG", 30.9),
            ("HippoRAG-v2", 41.6),
            ("Self-RAG", 18.7),
            ("MIRIX", 26.2),
        )
    ),
)  # fmt: skip


def paper_settings_in_markdown() -> str:
    """Return the command that runs each baseline of the paper with its settings."""
    rows = [
        (
            row.agent,
            "" if row.overall is None else str(row.overall),
            code(row.command) if row.command else "",
            row.note,
        )
        for row in PAPER_ROWS
    ]
    return table(("Agent", "Overall in the paper", "Command", "What differs"), rows)
