"""What every room needs to know of plain text: its length, its sentences, given options.

Stands below every other package and knows nothing of rows, agents or scores.
"""

from mabench.text.marks import Option, literal, options_in, sentences
from mabench.text.tokens import (
    count_tokens,
    estimate_each,
    estimate_tokens,
    newest_tokens,
    truncate_tokens,
)

__all__ = [
    "Option",
    "count_tokens",
    "estimate_each",
    "estimate_tokens",
    "literal",
    "newest_tokens",
    "options_in",
    "sentences",
    "truncate_tokens",
]
