"""Embedding models: texts to vectors of unit length, so that a product is a cosine."""

from mabench.models.embeddings.making import make_embedder as make_embedder
from mabench.models.embeddings.vectors import Embedder as Embedder
