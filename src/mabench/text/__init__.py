"""Plain text: its length in tokens, its sentences and stems, and the options that it offers.

Almost every package uses this one; it must know nothing of rows, agents or scores.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.text.estimates import estimate_each as estimate_each
    from mabench.text.estimates import estimate_tokens as estimate_tokens
    from mabench.text.estimates import newest_tokens as newest_tokens
    from mabench.text.estimates import truncate_tokens as truncate_tokens
    from mabench.text.literals import read_literal as read_literal
    from mabench.text.options import Option as Option
    from mabench.text.options import chosen_option as chosen_option
    from mabench.text.options import parse_options as parse_options
    from mabench.text.options import right_option as right_option
    from mabench.text.sentence_ends import split_sentences as split_sentences
    from mabench.text.sketches import share_text as share_text
    from mabench.text.sketches import sketch_text as sketch_text
    from mabench.text.tokens import count_tokens as count_tokens
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
