"""Files of other benchmarks by descriptions of them: what is where, and how it is read."""

from mabench.data.descriptions.format import described_format as described_format
from mabench.data.descriptions.format import format_of as format_of
from mabench.data.descriptions.forms import read_description as read_description
