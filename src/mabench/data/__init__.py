"""Rows of MemoryAgentBench: schema, inventory, reading, validation, export."""

from mabench.data.dataset import Dataset, open_dataset
from mabench.data.entities import load_entities
from mabench.data.export import export_hub_layout, export_questions
from mabench.data.inventory import BY_NAME, CATEGORIES, SOURCES, SPLITS, Category, Source
from mabench.data.problems import Problem
from mabench.data.readers.hub import download
from mabench.data.schema import Metadata, Question, Row, RowContent, Turn
from mabench.data.validation.validation import validate

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
    "download",
    "export_hub_layout",
    "export_questions",
    "load_entities",
    "open_dataset",
    "validate",
]
