"""A detective story: a case, its text, and four-option questions."""
