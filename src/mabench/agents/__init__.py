"""The agents that are built in, and what makes an agent of a memory and a reader.

The baselines are an agent that remembers nothing, one that is given every answer, and one that
keeps the history in the context of a language model.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.agents.baselines import NoMemory as NoMemory
    from mabench.agents.baselines import Oracle as Oracle
    from mabench.agents.guessing import UNKNOWN as UNKNOWN
    from mabench.agents.guessing import as_answer as as_answer
    from mabench.agents.guessing import find_options as find_options
    from mabench.agents.guessing import guess as guess
    from mabench.agents.long_context import LongContext as LongContext
    from mabench.agents.readers import ModelReader as ModelReader
    from mabench.agents.readers import reader_for as reader_for
    from mabench.agents.retrieval import RetrievalAgent as RetrievalAgent
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
