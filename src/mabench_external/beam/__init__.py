"""BEAM (``chats/100K/1/chat.json`` and the like): long chats of a user with an assistant."""

from mabench_external.beam.family import FAMILY as FAMILY
from mabench_external.beam.folders import SOURCES as SOURCES
from mabench_external.beam.reading import FORMAT as FORMAT
