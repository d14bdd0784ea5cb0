"""HaluMem (``HaluMem-Medium.jsonl``): what a memory makes up of conversations."""

from pathlib import Path

from mabench.data.descriptions import described_format

FORMAT = described_format(Path(__file__).with_name("description.toml"))
