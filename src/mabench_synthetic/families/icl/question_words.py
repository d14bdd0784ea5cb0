"""Nouns that tell what kind of answer a question wants, by kind of answer.

The number behind a kind says how common it is; kinds of six groups are told apart. The first
nouns of a kind are its common ones.
"""

from __future__ import annotations

from mabench_synthetic.language.wordings import table

# Group to kinds (with how common they are) to nouns.
NOUNS = {
    "letters": table("questions", "nouns_letters"),
    "account": table("questions", "nouns_account"),
    "thing": table("questions", "nouns_thing"),
    "people": table("questions", "nouns_people"),
    "place": table("questions", "nouns_place"),
    "number": table("questions", "nouns_number"),
}
