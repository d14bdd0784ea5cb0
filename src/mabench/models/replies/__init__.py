"""Replies of models that are kept on disk, so that none is paid for twice."""
