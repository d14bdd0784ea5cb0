"""LongMemEval (``longmemeval_s.json``, ``_m``, ``_oracle``): a question with its own history."""

from pathlib import Path

from mabench.data.descriptions import described_format

FORMAT = described_format(Path(__file__).with_name("description.toml"))
