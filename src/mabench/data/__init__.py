"""Rows of MemoryAgentBench: schema, inventory, reading, validation, export."""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.data.contents import Contents as Contents
    from mabench.data.dataset import Dataset as Dataset
    from mabench.data.entities import load_entities as load_entities
    from mabench.data.inventory import BY_NAME as BY_NAME
    from mabench.data.inventory import Source as Source
    from mabench.data.inventory import find_source as find_source
    from mabench.data.inventory import match_sources as match_sources
    from mabench.data.opening import open_dataset as open_dataset
    from mabench.data.problems import Problem as Problem
    from mabench.data.schema import Metadata as Metadata
    from mabench.data.schema import Question as Question
    from mabench.data.schema import Row as Row
    from mabench.data.schema import RowContent as RowContent
    from mabench.data.schema import RowMaker as RowMaker
    from mabench.data.schema import RowOutline as RowOutline
    from mabench.data.schema import Turn as Turn
    from mabench.data.sources.declarations import dump_declarations as dump_declarations
    from mabench.data.sources.declarations import read_declarations as read_declarations
    from mabench.data.writing.hub_layout import export_hub_layout as export_hub_layout
    from mabench.data.writing.questions import export_questions as export_questions
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
