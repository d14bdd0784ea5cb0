"""PrecisionMemBench (``retrieval.cases.json``): what must come back for a query, and what not."""

from pathlib import Path

from mabench.data.descriptions import described_format
from mabench_external.precisionmembench.scoring import FAMILY as FAMILY

FORMAT = described_format(Path(__file__).with_name("description.toml"))
