"""What a judge must show before it judges a run: that it was measured, and is specific enough.

Its specificity for a kind of wrong answers is the share of them that it does not pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mabench.errors import UsageError
from mabench.families import Prompts
from mabench.models.local import name_judge
from mabench.results.judging.calibration.made_up import families_left_out
from mabench.results.judging.calibration.reader import reader_version
from mabench.results.judging.calibration.record import Calibration
from mabench.results.records.lines import JudgeName
from mabench.results.records.store import RunFolder
from mabench.specs import JudgeSpec


@dataclass(frozen=True, slots=True)
class Requirement:
    """A calibration that a judge must have, and the least specificity that it must show."""

    file: Path  # The file of the calibration, for messages.
    calibration: Calibration
    # The least share, from 0 to 1, that it must fail of each kind of wrong answers; None for any.
    least_specificity: float | None = None

    def check(self, folder: RunFolder, spec: JudgeSpec) -> None:
        """Raise ``UsageError`` unless the judge of a run was measured and is specific enough.

        It must have been measured with its model, the present reader of replies, and the prompts
        for each family of the run that it is asked about.
        """
        calibration, model = self.calibration, name_judge(spec.model)
        if calibration.model != model:
            raise UsageError(
                f"{self.file}: measured the judge {calibration.model}, not {model}; calibrate "
                f"{model}, or judge with {calibration.model}"
            )
        if calibration.reader != reader_version():
            raise UsageError(
                f"{self.file}: was measured with another reader of replies, of another version of "
                "mabench; calibrate again, which takes the cached replies"
            )
        families = folder.families()
        prompts = Prompts.load(
            Path(spec.prompts) if spec.prompts else None, folder.record().all_sources
        )
        for family in families.values():
            # A judge is asked about unclear answers, or about those of families with a rubric.
            is_asked_about = spec.unclear == (family.rubric is None)
            if is_asked_about and family.name not in families_left_out():
                self._check_prompts(family.name, JudgeName(model, prompts.judge_hash(family.name)))

    def _check_prompts(self, family: str, judge: JudgeName) -> None:
        """Raise ``UsageError`` unless a judge with its prompts for a family is specific enough."""
        shares = self.calibration.of_prompts(judge.prompts)
        if not shares:
            raise UsageError(
                f"{self.file}: the judge's prompts for {family} ({judge.prompts[:8]}) were not "
                "measured; calibrate with the same `prompts`"
            )
        if self.least_specificity is None:
            return
        of_wrong_kinds = [share for share in shares if not share.kind.is_right]
        too_high = [share for share in of_wrong_kinds if 1 - share.share < self.least_specificity]
        if too_high:
            worst = max(too_high, key=lambda share: share.share)
            low, high = worst.interval.percent
            raise UsageError(
                f"{self.file}: {judge.model} fails {100 * (1 - worst.share):.1f} % of made-up "
                f"answers that are wrong in this way: {worst.kind} (prompts of {worst.family}; it "
                f"passes {worst.passed} of {worst.n}, {low:.1f} to {high:.1f} %), less than "
                f"{100 * self.least_specificity:g} %; choose another judge, or a lower mark"
            )
