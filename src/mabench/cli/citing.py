"""`mabench cite`: what to cite, and the paragraph on methods that a run allows to write.

It says only what the run has recorded. Entries are data in ``citations.toml``.
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


@opt.command("cite")
def _cite(run: Path | None = None) -> None:
    """Print BibTeX entries, and of a run the paragraph on methods as well."""
    from mabench.results import Run

    if run is None:
        con.print_line("\n\n".join(_entries(None)))
        return
    opened = Run(run)
    con.print_line(_methods(opened))
    con.print_line("")
    con.print_line("\n\n".join(_entries(opened.record)))


@cache
def _citations() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("citations.toml").read_text("utf-8"))


def _entries(record: RunRecord | None) -> Iterator[str]:
    """Yield the entries of mabench and the benchmark; of a run, those of its data and agent."""
    citations = _citations()
    version = record.mabench if record else __version__
    yield citations["mabench"]["entry"].format(version=version).strip()
    for family in _families(record):
        if family in citations["benchmarks"]:
            yield citations["benchmarks"][family].strip()
    if record:
        agent = record.agent.partition("[")[0]
        if agent in citations["systems"]:
            yield citations["systems"][agent].strip()


def _families(record: RunRecord | None) -> list[str]:
    """Return what names the benchmarks of a run, each once; made-up rows imitate the first."""
    from mabench.data import BY_NAME

    if record is None:
        return ["benchmark"]
    sources = record.all_sources
    known = [sources[name] for name in record.questions if name in sources]
    families = ["benchmark" if source.name in BY_NAME else source.family for source in known]
    others = [name for name in record.questions if name not in sources]
    # The sources of other benchmarks are named after their families, such as beam_100k.
    families += [name.partition("_")[0] for name in others]
    return list(dict.fromkeys(families))


def _depth(summary: RunSummary) -> str:
    """Return how many passages, k, were retrieved for a question, as far as it is recorded."""
    retrievals = [one.retrieval for one in summary.sources.values() if one.retrieval]
    known = [(one.depth, one.questions) for one in retrievals if one.depth is not None]
    questions = sum(number for _, number in known)
    if not questions:
        return "How many passages were retrieved for a question (k) is not recorded."
    depth = sum(depth * number for depth, number in known) / questions
    return f"For a question, k = {depth:.3g} passages were retrieved on average."


def _reader(model: ModelRecord | None) -> str:
    """Return which language model read what was retrieved."""
    if model is None:
        return "mabench gave the agent no language model as a reader; the answers are its own."
    seed = "" if model.seed is None else f" (seed {model.seed})"
    return f"The reader was {model.name} at temperature {model.temperature:g}{seed}."


def _judge(summary: RunSummary) -> str:
    """Return which language models judged answers, and how many sources still need one."""
    judges = dict.fromkeys(
        f"{scores.judge.model} (prompts {scores.judge.prompts[:8]})"
        for scores in summary.sources.values()
        if scores.judge
    )
    waiting = [name for name, scores in summary.sources.items() if scores.needs == "judge"]
    open_ = f" Answers to {', '.join(waiting)} are not judged, and have no score." * bool(waiting)
    if not judges:
        return f"No answers were judged by a language model.{open_}"
    return f"Answers were judged by {' and '.join(judges)}.{open_}"


def _methods(run: Run) -> str:
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
    sentences += [_depth(summary), _reader(record.model), _judge(summary)]
    if record.packages:
        versions = ", ".join(f"{name} {version}" for name, version in record.packages.items())
        sentences.append(f"Package versions: {versions}.")
    errors = sum(scores.errors for scores in summary.sources.values())
    asked = sum(scores.n for scores in summary.sources.values())
    sentences.append(
        f"Scores are the published metric and the corrected score over {asked:,} questions; "
        f"{write_count(errors, 'failed answer')} count as wrong. Intervals are at 95 %."
    )
    return " ".join(sentences)
