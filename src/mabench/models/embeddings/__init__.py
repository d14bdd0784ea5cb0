"""Embedding models, which turn texts into vectors of unit length.

The dot product of two such vectors is the cosine of the angle between them.
"""

from mabench.models.embeddings.making import make_embedder as make_embedder
from mabench.models.embeddings.vectors import Embedder as Embedder
