"""What every room needs to know of plain text: its length, its sentences, given options.

Stands below every other package and knows nothing of rows, agents or scores.
"""

from mabench.text.marks import Option as Option
from mabench.text.marks import literal as literal
from mabench.text.marks import options_in as options_in
from mabench.text.marks import sentences as sentences
from mabench.text.tokens import count_tokens as count_tokens
from mabench.text.tokens import estimate_each as estimate_each
from mabench.text.tokens import estimate_tokens as estimate_tokens
from mabench.text.tokens import newest_tokens as newest_tokens
from mabench.text.tokens import truncate_tokens as truncate_tokens
