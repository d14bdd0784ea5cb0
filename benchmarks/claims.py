"""How often what is printed is wrong: tables of known truth, compared as anybody's scores are.

`python -m benchmarks.claims` simulates a grid and prints the table of the documentation's page *How
often the words are wrong*, in Markdown, as it goes; `--quick` takes some minutes on one core and
`--only PART` one part. Of each cell it gives the share of comparisons in which something false was
printed, in percent, with the standard error of the simulation. Nothing is taken from inside: what
is counted are sentences, letters and intervals of ``mabench.compare``, verdicts of gates, and
decisions of races.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from statistics import fmean
from typing import NamedTuple

import numpy as np

import mabench
from benchmarks import plan as plans
from benchmarks import race as races
from benchmarks.simulated import (
    EQUAL,
    HALF,
    VARIED,
    Drawn,
    Source,
    Truth,
    draw_shares,
    draw_table,
    layouts,
    share_out,
)
from benchmarks.variances import VARIANCES
from mabench.comparison import Comparison, Pair, judge_pair
from mabench.reports.comparison.findings import describe_findings
from mabench.uncertainty import Grouped
from mabench.uncertainty.shares import new_histories

_SHARES = (0.02, 0.1, 0.5, 0.9, 0.98)
_CORRELATIONS = (0.0, 0.1, 0.5)
# About how many questions are drawn for a cell of the full grid, and of the quick one.
_FULL, _QUICK = 4_000_000, 160_000
_MOST, _FEWEST = 1_000, 40  # Comparisons of a cell.
_QUICK_STEP = 4  # Of so many cells, one is in the quick grid.


class Coverage(NamedTuple):
    """How one interval of a score fares in one case.

    Attributes:
        kind: ``these`` or ``new`` histories.
        offered: the share of draws for which the interval was offered.
        held: the share of those in which it held the true mean.
    """

    kind: str
    offered: float
    held: float


def coverage(
    groups: int, size: int, mean: float, correlation: float, draws: int
) -> Iterator[Coverage]:
    """Yield how often both intervals of a score hold the true mean."""
    random = np.random.default_rng((groups, size, int(1000 * mean), int(1000 * correlation)))
    histories = np.repeat(np.arange(groups), size)
    held: dict[str, list[bool]] = {"these": [], "new": []}
    for _ in range(draws):
        truth = draw_shares(random, mean, correlation, (groups,))
        answers = random.random(groups * size) < truth[histories]
        scores = Grouped(answers.astype(np.float64), histories)
        these, new = scores.these_histories(), new_histories(scores)
        if these:
            held["these"].append(these.low <= truth.mean() <= these.high)
        if new:
            held["new"].append(new.low <= mean <= new.high)
    for kind, hits in held.items():
        if hits:
            yield Coverage(kind, len(hits) / draws, sum(hits) / len(hits))


class Count:
    """How often something was so, of how many times it could have been."""

    def __init__(self) -> None:
        self.hits = self.of = 0

    def add(self, hit: bool) -> None:
        """Count once more."""
        self.hits += hit
        self.of += 1

    @property
    def percent(self) -> float:
        """The share, in percent."""
        return 100 * self.hits / self.of if self.of else float("nan")

    def __str__(self) -> str:
        if not self.of:
            return "-"
        share = (self.hits + 1) / (self.of + 2)
        return f"{self.percent:.1f} ± {100 * sqrt(share * (1 - share) / self.of):.1f}"


class Claims(NamedTuple):
    """What was false of what was printed in a cell."""

    beats: Count  # The sentence on the mean says that one of equal agents is better.
    letters: Count  # Some column of some table gives equal agents different letters.
    sentences: Count  # Some sentence on a source or a part of a pair is false.
    scores: Count  # Intervals of scores that hold the true mean.
    differences: Count  # Those of differences.

    def __str__(self) -> str:
        return " | ".join(map(str, self))


def simulate(sources: Sequence[Source], agents: int, truth: Truth, draws: int, seed: int) -> Claims:
    """Compare equal agents, and count what is false in what is printed.

    With the same true scores in each history, all that is said is false. Agents that are only equal
    on average are equal on new histories: what is said of these may be true, and is left out.
    """
    random = np.random.default_rng((57, seed))
    claims = Claims(*(Count() for _ in Claims._fields))
    for _ in range(draws):
        drawn = draw_table(random, sources, agents, truth)
        _count(claims, mabench.compare(drawn.table), drawn, truth)
    return claims


# Two agents whatever their scores: the best of many is better than it will be.
_PAIR = {"agent 0", "agent 1"}


def _count(claims: Claims, comparison: Comparison, drawn: Drawn, truth: Truth) -> None:
    """Count what is false in what a comparison of equal agents says."""
    for pair in comparison.pairs:
        if {pair.a, pair.b} == _PAIR:
            _count_sentences(claims, comparison, pair, truth)
            _count_differences(claims, pair, drawn)
    _count_letters(claims, comparison, truth)
    for run in comparison.runs:
        if run.run in _PAIR:
            for name, score in run.sources.items():
                measure = score.measure
                if measure.limits:
                    true = 100 * (truth.mean if measure.new else drawn.these[run.run, name])
                    claims.scores.add(measure.limits[0] <= true <= measure.limits[1])


def _count_sentences(claims: Claims, comparison: Comparison, pair: Pair, truth: Truth) -> None:
    """Count the sentences on a pair that say that one of the two is better."""
    mean, *others = describe_findings(pair, pair.a, pair.b, comparison.equal_within)
    if truth.same or pair.headline.of_new_histories:
        claims.beats.add(" beats " in mean)
    if truth.same or all(source.of_new_histories for source in pair.sources.values()):
        claims.sentences.add(
            any(" is better on " in sentence or " more " in sentence for sentence in others)
        )


def _count_differences(claims: Claims, pair: Pair, drawn: Drawn) -> None:
    """Count the intervals of differences on a source that hold the true difference.

    On new histories it is 0. On these it is that of the true scores that were drawn for them.
    """
    for name, source in pair.sources.items():
        interval = source.interval
        if not interval:
            continue
        difference = 0.0
        if not source.of_new_histories:
            difference = 100 * (drawn.these[pair.a, name] - drawn.these[pair.b, name])
        claims.differences.add(interval.low <= difference <= interval.high)


def _count_letters(claims: Claims, comparison: Comparison, truth: Truth) -> None:
    """Count the columns of tables whose letters say that equal agents differ.

    The error rate of letters is that of a column.
    """
    names = list(comparison.runs[0].sources)
    columns = {name: [run.sources[name] for run in comparison.runs] for name in names}
    if len(names) > 1:
        columns["mean"] = [run.headline for run in comparison.runs]
    for scores in columns.values():
        if truth.same or scores[0].measure.new:
            claims.letters.add(len({score.letters for score in scores}) > 1)


def draws_of(sources: Sequence[Source], agents: int, truth: Truth, budget: int) -> int:
    """Return how many comparisons a budget of questions allows."""
    questions = sum(sum(source.sizes) for source in sources) * agents * truth.builds
    return max(_FEWEST, min(_MOST, budget // questions))


def print_grid(budget: int) -> None:
    """Print what equal agents are said to differ in, by layout, sizes, shares and correlations."""
    print(
        "\n| layout | agents | share | correlation | agents are | beats, % | letters, % | "
        "sentences, % | scores held, % | differences held, % |\n"
        "|---|---:|---:|---:|---|---:|---:|---:|---:|---:|"
    )
    total = Counter[str]()
    worst = dict.fromkeys(Claims._fields, 0.0)
    cells = [*enumerate(grid())][:: 1 if budget >= _FULL else _QUICK_STEP]
    for seed, (layout, sources, agents, truth) in cells:
        draws = draws_of(sources, agents, truth, budget)
        found = simulate(sources, agents, truth, draws, seed)
        kind = "the same" if truth.same else "equal on average"
        kind += f", fail {truth.fails:.0%}" * bool(truth.fails)
        kind += f", {truth.builds} builds" * (truth.builds > 1)
        row = f"| {layout} | {agents} | {truth.mean:g} | {truth.correlation:g} | {kind} "
        print(f"{row}| {found} |", flush=True)
        for name, count in found._asdict().items():
            total[f"{name} hits"] += count.hits
            total[f"{name} of"] += count.of
            if count.of:
                is_rate = name in ("beats", "letters", "sentences")
                wrong = count.percent if is_rate else 100 - count.percent
                worst[name] = max(worst[name], wrong)
    means = ", ".join(
        f"{name} {100 * total[f'{name} hits'] / max(1, total[f'{name} of']):.1f} %"
        for name in Claims._fields
    )
    print(f"\nOver all cells: {means}.")
    print(f"Worst cells, wrong: {', '.join(f'{n} {w:.1f} %' for n, w in worst.items())}.")


def grid() -> Iterator[tuple[str, Sequence[Source], int, Truth]]:
    """Yield the cells: a layout with its sources, how many agents there are, and the truth."""
    every = layouts()
    for layout in ("5 x 100", "20 x 20", "LoCoMo", "1 x 100 and 6 x 20"):
        for mean in _SHARES:
            for correlation in _CORRELATIONS:
                yield layout, every[layout], 2, Truth(mean, correlation)
    for layout in ("5 x 100", "1 x 100 and 6 x 20", "the benchmark's"):
        for mean in (0.1, 0.5, 0.9):
            yield layout, every[layout], 2, Truth(mean, 0.1, same=True)
    for layout in ("22 sources of 6 x 10", "the benchmark's", "20 x 20"):
        yield layout, every[layout], 2, Truth(0.5, 0.1, lost=True)
        yield layout, every[layout], 2, Truth(0.5, 0.1, same=True, lost=True)
    for how, counts in ((VARIED, (6, 12, 24)), (HALF, (6, 12, 24)), (EQUAL, (6, 10))):
        for histories in counts:
            for mean in (0.1, 0.5):
                sources = [Source("s", share_out(histories, 20, how))]
                yield f"{histories} x 20, {how}", sources, 2, Truth(mean, 0.1)
    for fails in (0.05, 0.2):
        for layout in ("20 x 20", "5 x 100", "LoCoMo"):
            yield layout, every[layout], 2, Truth(0.5, 0.05, fails=fails)
    for agents in (3, 5, 8, 15):
        for layout in ("20 x 20", "5 x 100"):
            yield layout, every[layout], agents, Truth(0.5, 0.1)
    for layout in ("5 x 100", "20 x 20", "1 x 100 and 6 x 20"):
        yield layout, every[layout], 2, Truth(0.5, 0.1, same=True, builds=3, of_builds=0.1)


def print_gates(budget: int) -> None:
    """Print how often a gate fails a run whose loss is what is allowed, and one that loses more."""
    print("\n| layout | loss | allowed | fails, % | decided, % |\n|---|---:|---:|---:|---:|")
    every = layouts()
    for seed, (layout, loss) in enumerate(
        (layout, loss)
        for layout in ("5 x 100", "20 x 20", "LoCoMo")
        for loss in (0.0, 0.03, 0.05, 0.15, 0.3)
    ):
        truth, sources = Truth(0.5, 0.1), every[layout]
        random, fails, decided = np.random.default_rng((58, seed)), Count(), Count()
        for _ in range(draws_of(sources, 2, truth, budget)):
            table = draw_table(random, sources, 2, truth, better=loss).table
            comparison = mabench.compare(table, baseline="agent 0")
            result = judge_pair(comparison, 3.0)
            fails.add(not result.passed)
            decided.add(result.decided)
        print(f"| {layout} | {100 * loss:g} | 3 | {fails} | {decided} |", flush=True)


def print_power(budget: int) -> None:
    """Print how often a difference is shown that is as large as the one that was printed.

    The first is the mean of what equal agents were told, the second what was told of each
    comparison, tried on another.
    """
    print(
        "\n| histories | agents | printed, points | shown at the mean, % | shown at each, % |\n"
        "|---:|---:|---:|---:|---:|"
    )
    for histories in (6, 10, 20):
        for agents in (2, 3, 5, 8):
            random = np.random.default_rng((59, histories, agents))
            draws = max(_FEWEST, min(_MOST, budget // (histories * 20 * agents * 3)))
            printed = []  # The difference that each comparison of equal agents could show.
            for _ in range(draws):
                told = _compare_graded(random, histories, agents, apart=0.0)
                printed.append(told.detectable / 100)
            mean = fmean(printed)
            at_mean, at_each = Count(), Count()
            for difference in printed:
                at_mean.add(_compare_graded(random, histories, agents, apart=mean).is_shown)
                at_each.add(_compare_graded(random, histories, agents, apart=difference).is_shown)
            print(
                f"| {histories} | {agents} | {100 * mean:.1f} | {at_mean} | {at_each} |",
                flush=True,
            )


class _Told(NamedTuple):
    """What a comparison says of the first two agents."""

    is_shown: bool  # Whether their letters say that they differ.
    detectable: float  # The difference that it could show, in points.


def _compare_graded(
    random: np.random.Generator, histories: int, agents: int, apart: float
) -> _Told:
    """Compare agents with graded scores, the first of which is better by ``apart``."""
    comparison = mabench.compare(draw_graded(random, histories, agents, apart))
    letters = {run.run: set(run.headline.letters) for run in comparison.runs}
    [pair] = [pair for pair in comparison.pairs if {pair.a, pair.b} == {"agent 0", "agent 1"}]
    is_shown = letters["agent 0"].isdisjoint(letters["agent 1"])
    return _Told(is_shown, detectable=pair.headline.detectable or 0.0)


def draw_graded(
    random: np.random.Generator, histories: int, agents: int, apart: float
) -> dict[str, list[object]]:
    """Draw graded scores of 20 questions a history; the first agent is better by ``apart``.

    They vary little, so that even many agents on few histories can be told apart.
    """
    shape = (agents, histories, 20)
    scores = 0.3 + random.normal(0, 0.03, shape[:2])[..., None] + random.normal(0, 0.08, shape)
    scores[0] += apart
    place = np.indices(shape).reshape(3, -1)
    return {
        "agent": [f"agent {number}" for number in place[0]],
        "source": ["s"] * scores.size,
        "history": place[1].tolist(),
        "question": place[2].tolist(),
        "score": np.clip(scores, 0, 1).ravel().tolist(),
    }


def print_plans(budget: int) -> None:
    """Print how often comparisons show what was planned for, over pilots of equal agents."""
    print(
        "\n| variance | pilot | agents | planned for, points | histories, median | "
        "shown, % of plans of 80 % |\n|---|---:|---:|---:|---:|---:|"
    )
    draws = max(60, budget // 10_000)
    for name, kind in VARIANCES.items():
        for pilot in (4, 7, 12):
            for agents in (2, 3, 5, 8):
                found = plans.check_pilots(kind, 0.10, pilot, agents, draws)
                print(
                    f"| {name} | {pilot} | {agents} | 10 | {found.histories:g} | "
                    f"{100 * found.shown:.1f} |",
                    flush=True,
                )


def print_races(budget: int) -> None:
    """Print how often races are wrong, by the mean and where symmetry is assumed."""
    print(
        "\n| agents | points | wrong, % | intervals hold, % | found, % | histories, mean | "
        "looks larger by | symmetric: wrong, % | histories |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    )
    for case in races.cases(max(300, budget // 400)):
        mean, signs = (races.race(*case, symmetric=each) for each in (False, True))
        looks = "-" if mean.looks != mean.looks else f"{mean.looks:.1f}"
        print(
            f"| {mean.kind} | {100 * mean.difference:g} | {100 * mean.wrong:.1f} | "
            f"{100 * mean.held:.1f} | {100 * mean.right:.1f} | {mean.histories:.0f} | {looks} | "
            f"{100 * signs.wrong:.1f} | {signs.histories:.0f} |",
            flush=True,
        )


def print_limits(budget: int) -> None:
    """Print what no test can see: of two memories with one mean, one fails histories rarely."""
    print("\n| histories | fails | told apart, % |\n|---:|---:|---:|")
    for histories in (6, 10, 20, 50):
        for often in (0.02, 0.05, 0.1):
            random, apart = np.random.default_rng((60, histories)), Count()
            for _ in range(max(_FEWEST, min(_MOST, budget // (histories * 40)))):
                differences = races.draw_failing(random, 1, histories, often)[0]
                values = np.repeat(differences, 1)
                table = {
                    "agent": ["steady"] * histories + ["failing"] * histories,
                    "source": ["s"] * (2 * histories),
                    "history": [*range(histories)] * 2,
                    "question": [0] * (2 * histories),
                    "score": [*(0.5 + values / 2), *(0.5 - values / 2)],
                }
                apart.add(mabench.compare(table).pairs[0].headline.is_shown)
            print(f"| {histories} | {often:.0%} | {apart} |", flush=True)


_PARTS: dict[str, Callable[[int], None]] = {
    "grid": print_grid,
    "gates": print_gates,
    "power": print_power,
    "plans": print_plans,
    "races": print_races,
    "limits": print_limits,
}


def main() -> None:
    """Print all parts, or one."""
    parser = argparse.ArgumentParser(description="Simulate what is printed.")
    parser.add_argument("--quick", action="store_true", help="some minutes on one core")
    parser.add_argument("--only", choices=[*_PARTS], help="one part")
    options = parser.parse_args()
    for name, part in _PARTS.items():
        if options.only in (None, name):
            print(f"\n## {name}")
            part(_QUICK if options.quick else _FULL)


if __name__ == "__main__":
    main()
