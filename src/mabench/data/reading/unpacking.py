"""How much memory a Parquet file may take: a limit by what it is on disk.

A file of a few kilobytes can unpack to gigabytes: one letter repeated, or one text that a list
names again and again. Real texts shrink to a third or a tenth, so that the limit is far from them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow


# Whatever a file unpacks to may be this many times as large as the file; below the other limits,
# which any machine holds, nothing is asked.
_MOST_TIMES = 100
_ALWAYS_BYTES = 64 * 1024**2
_ALWAYS_VALUES = 1_000_000
_REMEDY = "write the texts anew, or as JSONL"


@dataclass(frozen=True, slots=True)
class UnpackingLimit:
    """What a Parquet file may unpack to."""

    file_bytes: int  # How large it is on disk.

    @property
    def most_bytes(self) -> int:
        """How many bytes a row group, or the lists of a row, may have once unpacked."""
        return max(_ALWAYS_BYTES, _MOST_TIMES * self.file_bytes)

    @property
    def most_values(self) -> int:
        """How many values a row group may have."""
        return max(_ALWAYS_VALUES, _MOST_TIMES * self.file_bytes)

    @property
    def expected(self) -> str:
        """What an error says that is expected."""
        return (
            f"at most {self.most_bytes:,} bytes and {self.most_values:,} values unpacked from a "
            f"file of {self.file_bytes:,} bytes: {_REMEDY}"
        )

    def excess_of_group(self, group: Any, columns: Collection[str]) -> str | None:
        """Return what is too much in a row group, by its metadata; None if all can be read."""
        parts = [group.column(number) for number in range(group.num_columns)]
        read = [part for part in parts if part.path_in_schema.split(".")[0] in columns]
        unpacked = sum(part.total_uncompressed_size for part in read)
        if unpacked > self.most_bytes:
            return f"{unpacked:,} bytes when unpacked"
        values = sum(part.num_values for part in read)
        return f"{values:,} values" if values > self.most_values else None

    def excess_of_row(self, array: pyarrow.Array) -> str | None:
        """Return what is too much in a column of a row, whose lists are read as dictionaries."""
        unpacked = _text_bytes(array)
        return f"{unpacked:,} bytes when unpacked" if unpacked > self.most_bytes else None


def find_repeated_texts(schema: Any) -> list[str]:
    """Return the columns of texts in lists, by their paths in the schema of a Parquet file.

    One text can be there any number of times; read as dictionaries, it is held once.
    """
    columns = map(schema.column, range(len(schema)))
    return [
        column.path
        for column in columns
        if column.max_repetition_level and column.physical_type == "BYTE_ARRAY"
    ]


def _text_bytes(array: pyarrow.Array) -> int:
    """Return how many bytes the texts have in lists that are held as dictionaries."""
    import pyarrow
    from pyarrow import compute

    kind = array.type
    if pyarrow.types.is_struct(kind):
        return sum(map(_text_bytes, array.flatten()))
    if pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind):
        return _text_bytes(array.flatten())
    if not pyarrow.types.is_dictionary(kind):
        return 0
    lengths = compute.take(compute.binary_length(array.dictionary), array.indices)
    return compute.sum(lengths).as_py() or 0
