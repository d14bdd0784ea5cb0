"""Rows of MemoryAgentBench: schema, inventory, reading, validation, export."""

from mabench.data.dataset import Dataset, open_dataset
from mabench.data.entities import load_entities
from mabench.data.export import export_hub_layout, export_questions
from mabench.data.inventory import (
    BY_NAME,
    CATEGORIES,
    SOURCES,
    SPLITS,
    Category,
    Source,
    declarations,
    source_named,
    sources_declared,
)
from mabench.data.problems import Problem
from mabench.data.readers.hub import download
from mabench.data.schema import Metadata, Question, Row, RowContent, Turn

__all__ = [
    "BY_NAME",
    "CATEGORIES",
    "SOURCES",
    "SPLITS",
    "Category",
    "Dataset",
    "Metadata",
    "Problem",
    "Question",
    "Row",
    "RowContent",
    "Source",
    "Turn",
    "declarations",
    "download",
    "export_hub_layout",
    "export_questions",
    "load_entities",
    "open_dataset",
    "source_named",
    "sources_declared",
]
