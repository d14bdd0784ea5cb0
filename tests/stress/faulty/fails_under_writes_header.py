"""A search fails while another client writes: it reads half a file.

The header of the index is written over in place, and not beside it and then renamed.
"""

import json

from tests.stress.faulty._base import Filed, Found, Text, Time, User, pause

FAULT = "fails-under-writes"


class Memory(Filed):
    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        header = self.folder / "header.json"
        if header.exists():
            json.loads(header.read_text())
        return super().search(query, k, time=time, user=user)

    def _append(self, one: Text) -> None:
        super()._append(one)
        with (self.folder / "header.json").open("w") as header:
            header.write('{"texts": ')
            header.flush()
            pause()
            header.write(f"{len(self.texts)}}}")
