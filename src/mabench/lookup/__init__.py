"""From what names an agent to what makes it."""

from mabench.lookup.capabilities import Capabilities as Capabilities
from mabench.lookup.factory import AgentFactory as AgentFactory
from mabench.lookup.names import AgentInfo as AgentInfo
from mabench.lookup.names import available as available
from mabench.lookup.resolution import refuse_ignored_model as refuse_ignored_model
from mabench.lookup.resolution import resolve as resolve
