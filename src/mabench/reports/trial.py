"""What a row that was run says of the whole run: a table, and what it takes for granted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mabench.families import family_of
from mabench.injection import protocol_named
from mabench.models import load_prices, price_of
from mabench.reports.call_tables import CALL_HEADERS, call_cells, calls_table
from mabench.reports.layout import Table
from mabench.runs import RowSize, RunSpec, Trial
from mabench.runs.results.calls import added


def trial_tables(trial: Trial) -> list[Table]:
    """Return what the row took, and what is left would take, by model."""
    rows = [
        (phase, model, *call_cells(totals))
        for phase, models in (("memorizing", trial.memorizing), ("answering", trial.answering))
        for model, totals in models.items()
    ]
    rows += [
        ("all that is left", "", *call_cells(trial.to_come)),
        ("so far", "", *call_cells(trial.so_far)),
        ("the whole run", "", *call_cells(added([trial.to_come, trial.so_far]))),
    ]
    headers = ("What is left", *CALL_HEADERS[1:])
    left = Table(headers, rows, (False, False) + (True,) * (len(headers) - 2))
    return [calls_table(trial.calls), left]


def trial_assumptions(trial: Trial, spec: RunSpec) -> list[str]:
    """Return what was measured and what is taken for granted, one sentence each."""
    if not trial.left:
        return [_measured(trial), "Every question of the run is answered: nothing is left."]
    return [
        _measured(trial),
        *_unseen(trial),
        *_lengths(trial),
        *_questions(trial, spec),
        *_prices(trial, spec),
        *_not_counted(trial),
        _time(trial, spec),
    ]


def _measured(trial: Trial) -> str:
    rows = trial.measured
    tokens, questions = _tokens(rows), sum(row.questions for row in rows)
    failed = f", of which {trial.errors} failed" if trial.errors else ""
    if len(rows) > 1:
        return (
            f"Measured: {len(rows)} rows with {tokens:,} tokens of history and {questions:,} "
            f"questions{failed}."
        )
    (row,) = rows
    return (
        f"Measured: row {row.place[1]} of {row.source}, with {tokens:,} tokens of history and "
        f"{questions:,} questions{failed}."
    )


def _unseen(trial: Trial) -> Iterator[str]:
    """Say whose calls were not seen."""
    calls = trial.calls
    seen = calls.by_memory.calls + calls.by_memory.kept
    if not calls.metered:
        yield (
            "The memory cannot be told where to call a model: what it calls by itself, if "
            "anything, is not in it."
        )
    elif not seen:
        yield (
            "No model call of the memory was seen: it calls none, or not at the address that it "
            "was told (`model`, or OPENAI_BASE_URL in its environment), and then they are not "
            "in it."
        )
    if not seen + calls.by_reader.calls + calls.by_reader.kept:
        yield "So no call was seen at all, and what is left takes time alone, as far as is known."


def _rows(lengths: list[int]) -> str:
    if len(lengths) == 1:
        return f"One row of {lengths[0]:,} tokens is"
    return f"{len(lengths):,} rows of {_range(lengths)} tokens, {sum(lengths):,} in all, are"


def _lengths(trial: Trial) -> Iterator[str]:
    lengths = sorted(row.tokens for row in trial.left)
    most = lengths[-1] / max(row.tokens for row in trial.measured)
    yield (f"{_rows(lengths)} left: 1,000 tokens of history are taken to cost what they did there.")
    if most > 2:
        yield (
            f"The longest history is {most:,.0f} times as long as the longest that was measured; "
            "a memory that reads again what it holds takes more for it than is said here."
        )


def _questions(trial: Trial, spec: RunSpec) -> Iterator[str]:
    yield (
        f"{trial.questions:,} questions are left: each is taken to cost what one did there in the "
        "mean, whatever its source and the length of its history."
    )
    here, others = (_chunk_sizes(rows, trial, spec) for rows in (trial.measured, trial.left))
    if here != others:
        yield (
            f"Chunks had {_range(here)} tokens there and have {_range(others)} in the others, "
            "which are shown in another number or length."
        )


def _prices(trial: Trial, spec: RunSpec) -> Iterator[str]:
    file = spec.agent.model.prices if spec.agent.model else spec.agent.prices
    prices = load_prices(file)
    for model in sorted({*trial.memorizing, *trial.answering}):
        totals = added(one[model] for one in (trial.memorizing, trial.answering) if model in one)
        price = price_of(model, prices)
        if price is None and totals.cost is None:
            yield f"The price of {model} is unknown: give a file with it as `prices`."
        elif price is not None:
            kept = "" if price.cached_input is None else f" (${price.cached_input:g} where kept)"
            yield (
                f"{model} costs ${price.input:g} for a million tokens of input{kept} and "
                f"${price.output:g} of output."
            )


def _not_counted(trial: Trial) -> Iterator[str]:
    calls = trial.calls
    if kept := calls.by_memory.kept + calls.by_reader.kept:
        yield (
            f"{kept:,} calls there were answered by kept replies and cost nothing; as many in "
            "proportion are taken to do so in the other rows, which is too many unless their "
            "replies are kept, too."
        )
    if calls.late.calls:
        yield f"{calls.late.calls:,} calls that came after their row was done are not in it."
    if failed := calls.by_memory.failed + calls.by_reader.failed:
        yield f"{failed:,} calls failed there; as many in proportion are taken to fail again."


def _time(trial: Trial, spec: RunSpec) -> str:
    rows, questions = spec.rows_in_parallel, spec.limits.questions
    return (
        f"By the clock, 1,000 tokens of history took {trial.seconds_memorize:,.2f} s and a "
        f"question {trial.seconds_answer:,.2f} s: about {trial.hours:,.2f} hours for what is left, "
        f"with {rows} rows and {questions} questions at a time (`limits.rows`, "
        "`limits.questions`), if the server keeps up."
    )


def _chunk_sizes(rows: Sequence[RowSize], trial: Trial, spec: RunSpec) -> list[int]:
    if spec.injection.chunk_tokens is not None:
        return [spec.injection.chunk_tokens]
    protocol = protocol_named(spec.injection.protocol)
    sources = trial.run.record.all_sources
    families = (family_of(name, sources) for name in {row.source for row in rows})
    return sorted({protocol.budget(family).chunk_tokens for family in families})


def _tokens(rows: Sequence[RowSize]) -> int:
    return sum(row.tokens for row in rows)


def _range(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
