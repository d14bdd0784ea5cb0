"""Code that the adapters share. Like them, it imports nothing of mabench and runs on Python 3.9.

Adapters import it as ``from .shared import ...``: in another environment, the worker loads an
adapter as a module of a package that consists of the adapter's folder.
"""

from .embeddings import EmbeddingServer as EmbeddingServer
from .event_loop import EventLoop as EventLoop
from .folders import make_folder as make_folder
from .memory import SystemMemory as SystemMemory
from .resources import Shared as Shared
from .texts import Fields as Fields
from .texts import Found as Found
from .texts import encodable as encodable
from .texts import interleave as interleave
from .texts import storable as storable
