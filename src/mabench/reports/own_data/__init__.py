"""Reports of data of one's own: what an import brought, and its questions."""
