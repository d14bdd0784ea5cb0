"""LifeBench: questions about a year of somebody's phone, in its own folders or in LoCoMo's form."""

from pathlib import Path

from mabench.data.descriptions import described_format

FORMAT = described_format(Path(__file__).with_name("description.toml"))
LOCOMO_FORM = described_format(Path(__file__).with_name("locomo_form.toml"))
