"""LongMemEval: dated chat sessions of one user, then questions about what was said.

The context is a Python list literal that alternates a session's date with its turns. The paper
scores by a language model's verdict; the text metrics stand beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mabench.metrics import raw_or_parsed
from mabench.sources.family import ANSWER, MEMORIZE, PLAIN_CHUNK, Family
from mabench.sources.units import cut, split_before

_PROMPT = """\
What you remember are the dated conversations between a user and you, their assistant. Answer the \
user's question from them, as briefly as possible. Where they do not hold the answer, say so.

{question}
Answer:"""

_TOKEN = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\[\]{}]""", re.DOTALL)


_DATE = re.compile(r"^\W{0,3}Chat Time:", re.MULTILINE)


def _session_starts(context: str) -> Iterator[int]:
    """Yield where each session begins: at each string that stands directly in the list.

    The literal is scanned, not evaluated, so that the pieces are the text as it was given.
    """
    depth = 0
    for token in _TOKEN.finditer(context):
        first = token.group()[0]
        if first in "[{":
            depth += 1
        elif first in "]}":
            depth -= 1
        elif depth == 1:
            yield token.start()


def _sessions(context: str) -> list[str]:
    """Cut at the sessions; a context that is no list literal is cut at lines with a date."""
    if context.lstrip().startswith("["):
        return cut(context, _session_starts(context))
    return split_before(_DATE, context)


FAMILY = Family(
    name="longmemeval",
    prompts={MEMORIZE: PLAIN_CHUNK, ANSWER: _PROMPT},
    units=_sessions,
    metric="judge_accuracy",
    official=lambda scored: raw_or_parsed(scored.prediction, scored.answers),
    corrected=lambda scored: {},
    needs_judge=True,
)
