"""What is deleted stays in a compressed copy of the log.

A backup is made before each deletion, in case it was a mistake, and nobody deletes backups.
"""

import gzip
from collections.abc import Sequence

from tests.stress.faulty._base import Filed

FAULT = "deleted-on-disk"


class Memory(Filed):
    def _remove(self, names: Sequence[str]) -> None:
        backup = self.folder / "before-deletion.jsonl.gz"
        backup.write_bytes(gzip.compress(self.log.read_bytes()))
        super()._remove(names)
