"""PersonaMem-v2 (``benchmark.csv``): which of four replies fits a user."""

from pathlib import Path

from mabench.data.descriptions import described_format

FORMAT = described_format(Path(__file__).with_name("description.toml"))
