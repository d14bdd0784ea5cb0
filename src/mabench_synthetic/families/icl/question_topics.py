"""Words that questions of every kind are about, and that tell nothing of the kind.

They are many, so that most stand in a handful of a row's questions, under several labels: a text
that shares its rarest word with another is often of another class.
"""

from __future__ import annotations

from mabench_synthetic.language.wordings import words

TOPICS = words("questions", "topics")
# Verbs whose past is regular and doubles no letter.
VERBS = words("questions", "verbs")
ADJECTIVES = words("questions", "adjectives")
