"""A text that was updated cannot be deleted: nothing happens, and it is still found.

The index has no ids, so deletion looks for what was added by its text.
"""

from collections.abc import Sequence

from tests.stress.faulty._base import Held

FAULT = "deleted-found"


class Memory(Held):
    def _remove(self, names: Sequence[str]) -> None:
        added = {self.texts[name].versions[0].text for name in names}
        latest = {name: self.texts[name].latest() for name in names}
        super()._remove([name for name, last in latest.items() if last and last.text in added])
