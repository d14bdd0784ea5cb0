"""Makes rows of every family from a seed, in the official schema, with invented names.

``row_specs`` and ``row_specs_named`` return specs of rows of any length and difficulty, and
``DATASETS`` those of named data sets, such as ``synthetic:small``. ``make_rows`` makes the rows.
``GENERATORS`` has the generator of each family. A row depends on its spec alone, never on other
rows, the machine or the packages that are installed.
"""

from mabench_synthetic.families import GENERATORS, register
from mabench_synthetic.generator import Generator, Knob, RowSpec
from mabench_synthetic.rows import entities_of, make_rows
from mabench_synthetic.specs import (
    DATASETS,
    DIFFICULTIES,
    knobs_of,
    row_specs,
    row_specs_named,
    sources_named,
)

__all__ = [
    "DATASETS",
    "DIFFICULTIES",
    "GENERATORS",
    "Generator",
    "Knob",
    "RowSpec",
    "entities_of",
    "knobs_of",
    "make_rows",
    "register",
    "row_specs",
    "row_specs_named",
    "sources_named",
]
