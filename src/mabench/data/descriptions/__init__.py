"""Files of other benchmarks by descriptions of them: what is where, and how it is read."""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.data.descriptions.format import described_format as described_format
    from mabench.data.descriptions.format import format_of as format_of
    from mabench.data.descriptions.forms import read_description as read_description
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
