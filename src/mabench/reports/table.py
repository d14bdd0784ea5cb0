"""The table of a run: its sources, columns and categories, and what has to be said of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from mabench.data.inventory import BY_NAME, CATEGORIES

_NONE = "-"


class Table(NamedTuple):
    """A table as text: cells are plain strings; ``numeric`` says which columns hold numbers."""

    headers: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    numeric: tuple[bool, ...]


def source_table(
    summary: Mapping[str, Any], verified: Mapping[str, Mapping[str, Any]] | None = None
) -> Table:
    """Return one row for each source of a run's summary; scores run from 0 to 100.

    ``verified`` holds the summaries of the sources over the questions that an audit passed;
    with it, two columns more have their number and official score.
    """
    headers = ("Source", "Column", "Metric", "n", "Errors", "Official", "Corrected")
    rows = [
        (
            name,
            (BY_NAME[name].column if name in BY_NAME else None) or _NONE,
            source["metric"],
            _count(source),
            str(source["errors"]),
            score_cell(source["official"]),
            score_cell(source["corrected"]),
        )
        for name, source in summary["sources"].items()
    ]
    numeric = (False, False, False, True, True, True, True)
    if verified is None:
        return Table(headers, rows, numeric)
    more = [(str(verified[row[0]]["n"]), score_cell(verified[row[0]]["official"])) for row in rows]
    return Table(
        (*headers, "n verified", "Verified"),
        [(*row, *added) for row, added in zip(rows, more, strict=True)],
        (*numeric, True, True),
    )


def category_table(summary: Mapping[str, Any]) -> Table:
    """Return one row for each category that the run touches, and one for the overall score."""
    rows = [
        (name, _mean(category, "official"), _mean(category, "corrected"), _coverage(category))
        for name, category in summary["categories"].items()
        if category["coverage"]
    ]
    categories = summary["categories"].values()
    overall = {
        "official": summary["overall"],
        "corrected": summary["overall_corrected"],
        "complete": all(category["complete"] for category in categories),
        "coverage": sum(category["coverage"] for category in categories) / len(CATEGORIES),
    }
    last = ("Overall", _mean(overall, "official"), _mean(overall, "corrected"), _coverage(overall))
    headers = ("Category", "Official", "Corrected", "Coverage")
    return Table(headers, [*rows, last], (False, True, True, True))


def notes(summary: Mapping[str, Any]) -> list[str]:
    """Return what a reader of the table must know, one sentence each."""
    sources = summary["sources"]
    said = []
    asked = sum(source["n"] for source in sources.values())
    expected = sum(source["expected"] for source in sources.values())
    if asked < expected:
        said.append(f"Unfinished: {asked} of {expected} questions so far.")
    said += _needs(sources, "judge", "take a language model's verdict: mabench judge RUN")
    said += _needs(
        sources, "entities", "take the entity file: mabench score RUN --entities entity2id.json"
    )
    said += [remark for name, source in sources.items() for remark in _judged(name, source)]
    said += [
        f"Evidence was retrieved for {source['evidence_recall']:.1f} % of the questions of {name}."
        for name, source in sources.items()
        if source["evidence_recall"] is not None
    ]
    said += _spent(summary.get("spent", {}))
    rules: dict[str, int] = {}
    for source in sources.values():
        for rule, samples in source["differences"].items():
            rules[rule] = rules.get(rule, 0) + samples
    if rules:
        counts = ", ".join(f"{rule} {number}" for rule, number in sorted(rules.items()))
        said.append(f"Official and corrected differ on {sum(rules.values())} samples: {counts}.")
    if any(not category["complete"] for category in summary["categories"].values()):
        said.append("Means are printed only over complete columns; partial ones show coverage.")
    return said


def _judged(name: str, source: Mapping[str, Any]) -> Iterable[str]:
    """Say who judged, and how far; of several judges the last complete one stands in the table."""
    for one in source["judges"]:
        verdicts = f"{one['judged']} verdicts and {one['failed']} failures on {one['of']} answers"
        score = "unfinished" if one["official"] is None else f"score {one['official']:.1f}"
        yield (
            f"{name} judged by {one['model']}, prompts {one['prompts'][:8]}: {verdicts}, {score}."
        )


def _spent(spent: Mapping[str, Any]) -> Iterable[str]:
    """Say what a model took, where one was asked."""
    if spent.get("input_tokens") is None:
        return
    dollars = "" if spent["cost"] is None else f", ${spent['cost']:.4f}"
    yield f"Tokens: {spent['input_tokens']:,} in, {spent['output_tokens'] or 0:,} out{dollars}."
    if spent["dropped_tokens"]:
        each = spent["dropped_tokens"] / spent["n"]
        yield f"{each:,.0f} tokens of the history were dropped per question, in the mean."


def _needs(sources: Mapping[str, Any], what: str, why: str) -> Iterable[str]:
    names = [name for name, source in sources.items() if source["needs"] == what]
    return [f"No score yet for {', '.join(names)}: they {why}."] if names else []


def _count(source: Mapping[str, Any]) -> str:
    whole = source["n"] == source["expected"]
    return str(source["n"]) if whole else f"{source['n']} of {source['expected']}"


def score_cell(value: float | None) -> str:
    """Return a score for a reader, with one decimal; a dash for none."""
    return _NONE if value is None else f"{value:.1f}"


def _mean(part: Mapping[str, Any], score: str) -> str:
    return score_cell(part[score]) if part["complete"] else "partial"


def _coverage(part: Mapping[str, Any]) -> str:
    return f"{part['coverage']:.0%}"
