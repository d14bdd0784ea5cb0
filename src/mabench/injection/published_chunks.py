"""The chunker published with arXiv 2507.05257: Punkt sentences packed by o200k_base tokens.

Its quirks must be reproduced, because published figures rest on them: sentences are joined by one
space, whatever was between them; the joining spaces are not counted; a sentence over the budget is
never split; and if such a sentence comes first, an empty chunk precedes it.
"""

from __future__ import annotations

import threading

from mabench.injection.packing import pack
from mabench.text.tokenizers import load_encoding, load_punkt

# Rows are cut at the same time, and only one of them may copy or download the data.
_LOADING = threading.Lock()


def cut_as_published(text: str, chunk_tokens: int, *, offline: bool = False) -> list[str]:
    """Cut ``text`` as the published code does, to a budget in o200k_base tokens."""
    with _LOADING:
        punkt = load_punkt(offline=offline)
        encoding = load_encoding(offline=offline)
    # Text that spells a special token is ordinary text here.
    sized = [(one, len(encoding.encode_ordinary(one))) for one in punkt.tokenize(text)]
    return [" ".join(packed) for packed in pack(sized, chunk_tokens)] if sized else []
