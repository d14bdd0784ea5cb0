"""The columns of a run's questions in Markdown, as ``mabench.results.columns`` declares them."""

from __future__ import annotations

from mabench.results import QUESTION_COLUMNS, RUN_COLUMNS
from mabench_site.markdown import code, sentence, table

_TYPES = {str: "text", int: "integer", float: "number", list[str]: "list of texts"}


def question_columns_in_markdown() -> str:
    """Return a table of the columns: name, type and meaning."""
    rows = [(code(name), "text", sentence(meaning)) for name, meaning in RUN_COLUMNS.items()]
    rows += [
        (code(column.name), _TYPES[column.kind], sentence(column.meaning))
        for column in QUESTION_COLUMNS
    ]
    return table(("Column", "Type", "What it is"), rows)
