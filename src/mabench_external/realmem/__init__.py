"""RealMem (``*_dialogues_256k.json``): questions between the sessions of a user's projects."""

from pathlib import Path

from mabench.data.descriptions import described_format

FORMAT = described_format(Path(__file__).with_name("description.toml"))
