"""Rows of MemoryAgentBench: schema, inventory, reading, validation, export."""

from mabench.data.contents import Contents
from mabench.data.dataset import Dataset
from mabench.data.export import export_hub_layout, export_questions
from mabench.data.inventory import (
    BY_NAME,
    Source,
    declarations,
    find_source,
    match_sources,
    read_declarations,
)
from mabench.data.opening import open_dataset
from mabench.data.records import Problem
from mabench.data.schema import Metadata, Question, Row, RowContent, RowMaker, RowOutline, Turn
from mabench.data.validation import load_entities

__all__ = [
    "BY_NAME",
    "Contents",
    "Dataset",
    "Metadata",
    "Problem",
    "Question",
    "Row",
    "RowContent",
    "RowMaker",
    "RowOutline",
    "Source",
    "Turn",
    "declarations",
    "export_hub_layout",
    "export_questions",
    "find_source",
    "load_entities",
    "match_sources",
    "open_dataset",
    "read_declarations",
]
