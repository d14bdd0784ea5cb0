"""PersonaMem (``questions_32k.csv``): which reply fits a user, at many points of a history."""

from pathlib import Path

from mabench.data.descriptions import described_format

FORMAT = described_format(Path(__file__).with_name("description.toml"))
