"""LongMemEval-V2 (``questions.jsonl``): what is learned of web applications, text only."""

from pathlib import Path

from mabench.data.descriptions import described_format
from mabench_external.longmemeval_v2.rules import FAMILY as FAMILY

FORMAT = described_format(Path(__file__).with_name("description.toml"))
