"""The card of a data set that was written out: what the `datasets` library reads the splits by."""

from __future__ import annotations

from collections.abc import Sequence

_CARD = """\
---
configs:
- config_name: default
  data_files:
SPLITS
---
# {name}

Rows in the layout and schema of MemoryAgentBench (arXiv 2507.05257), written by mabench.

`load_dataset` of the `datasets` library reads this folder as the splits above. In each row,
`questions` and `answers` align by position, and `answers[i]` holds the acceptable answers.
"""


def card(name: str, splits: Sequence[str]) -> str:
    """Return the text of a folder's README.md, with one data file for each split."""
    files = (
        f"  - split: {split}\n    path: data/{split}-00000-of-00001.parquet" for split in splits
    )
    return _CARD.replace("SPLITS", "\n".join(files)).format(name=name)
