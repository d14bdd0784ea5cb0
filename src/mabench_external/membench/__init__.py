"""MemBench (``FirstAgentDataLowLevel.json`` and so on): questions about streams of messages."""

from pathlib import Path

from mabench.data.descriptions import described_format

FORMAT = described_format(Path(__file__).with_name("description.toml"))
