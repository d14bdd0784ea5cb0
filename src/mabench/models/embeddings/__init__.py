"""Embedding models, which turn texts into vectors of unit length.

The dot product of two such vectors is the cosine of the angle between them.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.models.embeddings.making import make_embedder as make_embedder
    from mabench.models.embeddings.vectors import Embedder as Embedder
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
