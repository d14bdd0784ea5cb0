"""Rows of MemoryAgentBench: schema, inventory, reading, validation, export."""

from mabench.data.dataset import Dataset, RowMaker, open_dataset
from mabench.data.export import export_hub_layout, export_questions
from mabench.data.inventory import (
    BY_NAME,
    Source,
    declarations,
    names_of,
    source_named,
    sources_declared,
    sources_meant,
)
from mabench.data.problems import Problem
from mabench.data.readers.files import load_entities
from mabench.data.schema import Metadata, Question, Row, RowContent, Turn

__all__ = [
    "BY_NAME",
    "Dataset",
    "Metadata",
    "Problem",
    "Question",
    "Row",
    "RowContent",
    "RowMaker",
    "Source",
    "Turn",
    "declarations",
    "export_hub_layout",
    "export_questions",
    "load_entities",
    "names_of",
    "open_dataset",
    "source_named",
    "sources_declared",
    "sources_meant",
]
