"""What a calibration found, as it is kept in a file.

It holds for one model, its prompts and the code that reads its replies. It was measured on made-up
answers. It must never be used to correct a judge's share of real ones: what their wrong answers are
like is not known from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from mabench.errors import DataError, reason
from mabench.json_text import JsonRecord, Number, parse
from mabench.outfile import write_file
from mabench.results.judging.calibration.made_up import AnswerKind
from mabench.results.judging.calibration.reader import ReplyReading
from mabench.results.records.lines import JudgeName
from mabench.uncertainty import Interval
from mabench.userfile import read_bytes

_NORMAL = 1.959964  # The quantile of the normal distribution for 95 %.


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedShare(JsonRecord):
    """How many made-up answers of one kind a judge passes."""

    family: str  # Whose prompts it was asked with; ``unclear``: those for unclear answers.
    kind: AnswerKind
    n: int  # How many answers.
    passed: int  # How many of them it passes.
    no_verdict: int  # On how many it gave none, which counts as not passed.

    @property
    def share(self) -> float:
        """The share that is passed, from 0 to 1."""
        return self.passed / self.n

    @property
    def interval(self) -> Interval:
        """Wilson's 95 % interval of this share, for more made-up answers of the kind."""
        return Interval.wilson(self.share, self.n, _NORMAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareDifference(JsonRecord):
    """By how much more often a judge passes answers of some kinds than of others, in points."""

    family: str
    effect: str  # What it shows, such as the effect of length on right answers.
    difference: float
    interval: tuple[float, float]  # Of 95 %, by Agresti and Caffo (2000).

    @classmethod
    def of(cls, effect: str, ones: Sequence[PassedShare], others: Sequence[PassedShare]) -> Self:
        """Return the share of the first kinds less that of the others, of one family."""
        n, passed = sum(share.n for share in ones), sum(share.passed for share in ones)
        other_n, other_passed = (
            sum(share.n for share in others),
            sum(share.passed for share in others),
        )
        # For the interval, each share gets one answer more that passes and one that fails.
        adjusted, other_adjusted = (passed + 1) / (n + 2), (other_passed + 1) / (other_n + 2)
        variance = adjusted * (1 - adjusted) / (n + 2)
        variance += other_adjusted * (1 - other_adjusted) / (other_n + 2)
        middle, half = adjusted - other_adjusted, _NORMAL * variance**0.5
        return cls(
            family=ones[0].family,
            effect=effect,
            difference=100 * (passed / n - other_passed / other_n),
            interval=(100 * max(-1.0, middle - half), 100 * min(1.0, middle + half)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredFamily(JsonRecord):
    """The prompts of a family that were measured."""

    family: str
    prompts: str  # The hash of the prompts for the judge.
    asked_twice: int  # How many answers the judge was asked about a second time.
    agreed: int  # On how many of them it said the same, to the same prompt.


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeUpVerdict(JsonRecord):
    """A judge's verdict on one made-up answer."""

    family: str
    kind: AnswerKind
    form: str  # The form of the question.
    question: str
    golds: tuple[str, ...]
    answer: str
    passed: bool | None  # None without a verdict.
    words: str | None  # The judge's own words.


class _ShareEffect(NamedTuple):
    """An effect that is shown: how the shares of some kinds differ from those of others."""

    name: str
    kinds: Sequence[AnswerKind]
    other_kinds: Sequence[AnswerKind]


_EFFECTS = (
    _ShareEffect(
        "long right answers against short ones",
        kinds=(AnswerKind.LONG_FIRST, AnswerKind.LONG_LAST),
        other_kinds=(AnswerKind.RIGHT,),
    ),
    _ShareEffect(
        "long right answers: the right value at the end against at the beginning",
        kinds=(AnswerKind.LONG_LAST,),
        other_kinds=(AnswerKind.LONG_FIRST,),
    ),
    _ShareEffect(
        "long wrong answers against short ones",
        kinds=(AnswerKind.LONG_WRONG,),
        other_kinds=(AnswerKind.SPECIFIC,),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration(JsonRecord):
    """What a judge passes, by kind of answer, measured on made-up answers."""

    schema: int = 1  # The version of this format.
    model: str  # The judge's model.
    reader: str  # The SHA-256 of what reads its replies.
    seed: int
    families: tuple[MeasuredFamily, ...]
    shares: tuple[PassedShare, ...]
    readings: tuple[ReplyReading, ...]  # How the reader takes replies that are easily misread.
    requests: int  # How many the verdicts took, with those that were cached.
    input_tokens: int
    output_tokens: int
    cost: Number | None  # US dollars for these tokens; None if prices are unknown.
    verdicts: tuple[MadeUpVerdict, ...]

    def effects(self) -> Iterator[ShareDifference]:
        """Yield how the length of answers and the place of the value in them change shares.

        There is one difference for each family and effect.
        """
        for measured in self.families:
            for effect in _EFFECTS:
                shares = self._shares_of(measured.family, effect.kinds)
                other_shares = self._shares_of(measured.family, effect.other_kinds)
                yield ShareDifference.of(effect.name, shares, other_shares)

    def of_prompts(self, prompts: str) -> list[PassedShare]:
        """Return what was measured with the prompts of this hash; empty if nothing was."""
        families = {measured.family for measured in self.families if measured.prompts == prompts}
        return [share for share in self.shares if share.family in families]

    def covers(self, judge: JudgeName) -> bool:
        """Return whether it was measured with the model and the prompts of a judge."""
        return judge.model == self.model and bool(self.of_prompts(judge.prompts))

    def write(self, file: Path) -> None:
        """Write the calibration to a file; raises as ``write_file`` does."""
        write_file(file, self.to_json(indent=2) + "\n")

    @classmethod
    def read(cls, file: Path) -> Self:
        """Return the calibration in a file.

        Raises ``DataError`` if it cannot be read, or a share in it is impossible.
        """
        try:
            calibration = parse(cls, read_bytes(file))
        except (OSError, ValueError) as error:
            raise DataError(
                f"{file}: no calibration of a judge: {reason(error)}; make one with `calibrate`"
            ) from error
        for share in calibration.shares:
            if not 0 <= share.passed <= share.n or share.n == 0:
                raise DataError(
                    f"{file}: {share.family}, {share.kind}: {share.passed} of {share.n} passed "
                    "cannot be; make the file again with `calibrate`"
                )
        return calibration

    def _shares_of(self, family: str, kinds: Collection[AnswerKind]) -> list[PassedShare]:
        """Return the shares of some kinds of answers of a family."""
        return [share for share in self.shares if share.family == family and share.kind in kinds]
