"""ConvoMem (``evidence_questions``): conversations, and a question about them."""

from pathlib import Path

from mabench.data.descriptions import described_format

FORMAT = described_format(Path(__file__).with_name("description.toml"))
