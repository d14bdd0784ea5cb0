"""Small readings of plain text that both worlds share: lengths, sentences, given options.

Stands below every other package and knows nothing of rows, agents or scores.
"""

from mabench.text.literals import literal
from mabench.text.options import Option, options_in
from mabench.text.sentences import sentences
from mabench.text.tokens import estimate_tokens, newest_tokens, truncate_tokens

__all__ = [
    "Option",
    "estimate_tokens",
    "literal",
    "newest_tokens",
    "options_in",
    "sentences",
    "truncate_tokens",
]
