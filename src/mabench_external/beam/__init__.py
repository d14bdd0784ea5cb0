"""BEAM (``chats/100K/1/chat.json`` and the like): long chats of a user with an assistant."""

from pathlib import Path

from mabench.data.descriptions import described_format
from mabench_external.beam.family import FAMILY as FAMILY

FORMAT = described_format(Path(__file__).with_name("description.toml"))
