"""Rows of MemoryAgentBench: schema, inventory, reading, validation, export."""

from mabench.dataset.dataset import Dataset, open_dataset
from mabench.dataset.entities import load_entities
from mabench.dataset.export import export_hub_layout, export_questions
from mabench.dataset.hub import download
from mabench.dataset.inventory import BY_NAME, CATEGORIES, SOURCES, SPLITS, Category, Source
from mabench.dataset.problems import Problem
from mabench.dataset.schema import Metadata, Question, Row, RowContent, Turn
from mabench.dataset.validation import validate

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
