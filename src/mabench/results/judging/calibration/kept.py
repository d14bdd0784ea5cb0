"""The calibrations that a run keeps: of the judges that had to show one before they judged it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from mabench.json_text import JsonRecord
from mabench.results.judging.calibration.record import Calibration, PassedShare
from mabench.results.records.files import OwnFile
from mabench.results.records.lines import JudgeName

_FILE = "calibrations.json"


@dataclass(frozen=True, slots=True)
class KeptCalibrations(JsonRecord):
    """The calibrations of a run's judges, one a model, without the single verdicts."""

    calibrations: tuple[Calibration, ...] = ()

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Return those of a run; empty without any; raises ``DataError``."""
        file = OwnFile(folder / _FILE)
        return file.read_record(cls) if file.is_there() else cls()

    def keep(self, folder: Path, calibration: Calibration) -> None:
        """Write those of a run with another one, in place of an earlier one of its model."""
        others = [one for one in self.calibrations if one.model != calibration.model]
        kept = type(self)((*others, replace(calibration, verdicts=())))
        OwnFile(folder / _FILE).write_text(kept.to_json(2))

    def shares_of(self, judge: JudgeName) -> list[PassedShare]:
        """Return what a judge passes of each kind; empty if it had to show nothing."""
        for calibration in self.calibrations:
            if calibration.model == judge.model and (
                shares := calibration.of_prompts(judge.prompts)
            ):
                return shares
        return []
