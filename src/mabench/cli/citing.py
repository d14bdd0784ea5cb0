"""`mabench cite`: BibTeX entries to cite, and of a run the paragraph on methods for a paper.

The paragraph says only what the run has recorded. The entries are in ``citations.toml``.

The parameters of the command are its options, which ``commands.toml`` describes.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mabench._version import __version__
from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.printable import write_count

if TYPE_CHECKING:
    from mabench.results import ModelRecord, Run, RunRecord, RunSummary

_SHOWN_DIGITS = 8  # Of the hash of a judge's prompts: enough to tell one from another.


@opt.command("cite")
def _cite(run: Path | None = None) -> None:
    """Print BibTeX entries, and of a run the paragraph on methods as well."""
    from mabench.results import Run

    if run is None:
        con.print_line("\n\n".join(_bibtex_entries(None)))
        return
    opened = Run(run)
    con.print_line(_methods_paragraph(opened))
    con.print_line("")
    con.print_line("\n\n".join(_bibtex_entries(opened.record)))


@cache
def _citations() -> Mapping[str, Any]:
    """Return the tables of ``citations.toml``: of mabench, of benchmarks and of memory systems."""
    return tomllib.loads(Path(__file__).with_name("citations.toml").read_text("utf-8"))


def _bibtex_entries(record: RunRecord | None) -> Iterator[str]:
    """Yield the BibTeX entries of mabench, of benchmarks, and of the memory system.

    ``record`` is of the run that is cited. Without one, yield those of mabench and
    MemoryAgentBench.
    """
    citations = _citations()
    version = record.mabench if record else __version__
    yield citations["mabench"]["entry"].format(version=version).strip()
    for key in _benchmark_keys(record):
        if key in citations["benchmarks"]:
            yield citations["benchmarks"][key].strip()
    if record:
        agent_name = record.agent.partition("[")[0]  # Its settings follow in brackets.
        if agent_name in citations["systems"]:
            yield citations["systems"][agent_name].strip()


def _benchmark_keys(record: RunRecord | None) -> list[str]:
    """Return the keys in ``citations.toml`` of the benchmarks that a run used, each once.

    That of MemoryAgentBench is "benchmark", also for made-up rows, which imitate it. Any other
    benchmark's key is its family of sources.
    """
    from mabench.data import BY_NAME  # The sources of MemoryAgentBench.

    if record is None:
        return ["benchmark"]
    declared_sources = record.all_sources
    own_keys, other_keys = [], []
    for name in record.questions:
        if name not in declared_sources:
            # Sources of other benchmarks are named after their families, such as beam_100k.
            other_keys.append(name.partition("_")[0])
        elif declared_sources[name].name in BY_NAME:
            own_keys.append("benchmark")
        else:
            own_keys.append(declared_sources[name].family)
    return list(dict.fromkeys([*own_keys, *other_keys]))


def _describe_depth(summary: RunSummary) -> str:
    """Return a sentence on how many passages, k, were retrieved for a question on average."""
    retrievals = [source.retrieval for source in summary.sources.values() if source.retrieval]
    passages, questions = 0.0, 0
    for retrieval in retrievals:
        if retrieval.depth is not None:  # The mean of the source's questions.
            passages += retrieval.depth * retrieval.questions
            questions += retrieval.questions
    if not questions:
        return "How many passages were retrieved for a question (k) is not recorded."
    return f"For a question, k = {passages / questions:.3g} passages were retrieved on average."


def _describe_reader(model: ModelRecord | None) -> str:
    """Return a sentence on the language model that read what was retrieved."""
    if model is None:
        return "mabench gave the agent no language model as a reader; the answers are its own."
    seed = "" if model.seed is None else f" (seed {model.seed})"
    return f"The reader was {model.name} at temperature {model.temperature:g}{seed}."


def _describe_judges(summary: RunSummary) -> str:
    """Return sentences on the language models that judged answers, and on what needs a judge."""
    judges = dict.fromkeys(  # Each once, in order.
        f"{source.judge.model} (prompts {source.judge.prompts[:_SHOWN_DIGITS]})"
        for source in summary.sources.values()
        if source.judge
    )
    if judges:
        sentences = [f"Answers were judged by {' and '.join(judges)}."]
    else:
        sentences = ["No answers were judged by a language model."]
    unjudged = [name for name, source in summary.sources.items() if source.needs == "judge"]
    if unjudged:
        sentences.append(f"Answers to {', '.join(unjudged)} are not judged, and have no score.")
    return " ".join(sentences)


def _methods_paragraph(run: Run) -> str:
    """Return a paragraph that says how a run was made and scored."""
    record, summary = run.record, run.summary
    questions = sum(record.questions.values())
    sources = write_count(len(record.questions), "source")
    made_up = " of made-up rows" if record.data.titles else ""
    sentences = [
        f"We ran {record.agent} with mabench {record.mabench} on {record.data.name} "
        f"({write_count(questions, 'question')} from {sources}{made_up}, data fingerprint "
        f"{record.data.fingerprint[:12]}) under the protocol {record.protocol}."
    ]
    if record.chunk_tokens:
        sentences.append(f"Histories were told in chunks of {record.chunk_tokens:,} tokens.")
    sentences.append(_describe_depth(summary))
    sentences.append(_describe_reader(record.model))
    sentences.append(_describe_judges(summary))
    if record.packages:
        versions = ", ".join(f"{name} {version}" for name, version in record.packages.items())
        sentences.append(f"Package versions: {versions}.")
    errors = sum(source.errors for source in summary.sources.values())
    asked = sum(source.n for source in summary.sources.values())
    sentences.append(
        f"Scores are the published metric and the corrected score over {asked:,} questions; "
        f"{write_count(errors, 'failed answer')} count as wrong. Intervals are at 95 %."
    )
    return " ".join(sentences)
