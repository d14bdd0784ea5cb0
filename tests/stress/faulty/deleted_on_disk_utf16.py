"""What is deleted stays in a second file, in UTF-16.

Full-text engines of Java and Windows keep the fields of a document apart, in their own encoding.
"""

from tests.stress.faulty._base import Filed, Text

FAULT = "deleted-on-disk"


class Memory(Filed):
    def _append(self, one: Text) -> None:
        super()._append(one)
        with (self.folder / "fields.dat").open("ab") as fields:
            fields.write(one.versions[-1].text.encode("utf-16-le"))
