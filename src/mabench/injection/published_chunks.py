"""The chunker published with arXiv 2507.05257: Punkt sentences packed by o200k_base tokens.

Its quirks must be reproduced, because published figures rest on them: sentences are joined by one
space, whatever was between them; the joining spaces are not counted; a sentence over the budget is
never split; and if such a sentence comes first, an empty chunk precedes it.
"""

from __future__ import annotations

import threading

from mabench.injection.packing import pack
from mabench.text.tokenizers import load_encoding, load_punkt

# Several rows are cut at the same time, but only one may copy or download the data.
_LOADING = threading.Lock()


def cut_as_published(text: str, chunk_tokens: int, *, offline: bool = False) -> list[str]:
    """Cut a text as the published code does, into chunks of about that many o200k_base tokens."""
    with _LOADING:
        punkt = load_punkt(offline=offline)
        encoding = load_encoding(offline=offline)
    # Text that spells a special token is ordinary text here.
    sentences = [
        (sentence, len(encoding.encode_ordinary(sentence))) for sentence in punkt.tokenize(text)
    ]
    if not sentences:
        return []
    return [" ".join(packed) for packed in pack(sentences, chunk_tokens)]
