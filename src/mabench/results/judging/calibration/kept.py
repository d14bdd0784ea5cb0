"""The calibrations that a run's folder keeps.

They are of the judges that had to show one before they judged the run.
"""

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
    """The calibrations of a run's judges, one for each model, without the single verdicts."""

    calibrations: tuple[Calibration, ...] = ()

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Return those in the folder of a run, which may have none.

        Raises ``DataError`` if their file cannot be read.
        """
        file = OwnFile(folder / _FILE)
        return file.read_record(cls) if file.is_there() else cls()

    def keep(self, folder: Path, calibration: Calibration) -> None:
        """Write these calibrations and another one to the folder of a run.

        The other one takes the place of an earlier one of its model.
        """
        others = [earlier for earlier in self.calibrations if earlier.model != calibration.model]
        without_verdicts = replace(calibration, verdicts=())
        kept = type(self)((*others, without_verdicts))
        OwnFile(folder / _FILE).write_text(kept.to_json(indent=2))

    def shares_of(self, judge: JudgeName) -> list[PassedShare]:
        """Return what a judge passes of each kind of answers.

        The list is empty if no calibration is of its model and its prompts.
        """
        for calibration in self.calibrations:
            if calibration.covers(judge):
                return calibration.of_prompts(judge.prompts)
        return []
