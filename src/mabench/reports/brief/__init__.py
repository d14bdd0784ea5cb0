"""The short forms of reports: the sentence that says what came out, and one table."""
