"""The skill for superseded facts: reads numbered statements into a book and answers from it."""
