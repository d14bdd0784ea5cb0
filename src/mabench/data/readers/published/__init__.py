"""Other benchmarks' files as they are published: known by their fields, read as rows."""

from mabench.data.readers.published.formats import published_rows, published_sources

__all__ = ["published_rows", "published_sources"]
