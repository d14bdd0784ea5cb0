"""Write src/mabench/scoring/names.json: names of countries, their people, states of the USA.

The source is a package that keeps such lists and nothing of the benchmark: ``countryinfo`` 1.0.1
(MIT). They are copied, so that a score does not depend on what is installed.

    pip install countryinfo==1.0.1
    python tools/names.py
"""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parents[1] / "src" / "mabench" / "scoring" / "names.json"
_LATIN_NAME = re.compile(r"[A-Za-z\u00c0-\u017f '.-]{4,40}")
_ACRONYMS = {"US", "USA", "UK", "UAE", "DRC", "GDR", "USSR"}  # Other codes are also words.


def main() -> None:
    """Write the file: a text for each kind of names, with "|" between entries.

    An entry of a country has its spellings, one of its people their names, with "/" between them.
    """
    countries = _read_countries()
    united_states = next(each for each in countries if each["name"] == "United States")
    entries_by_kind = {
        "countries": {"/".join(_spellings(country)) for country in countries},
        "demonyms": {_demonyms(country) for country in countries if country.get("demonym")},
        "states": united_states["provinces"],
    }
    lines = []
    for kind, entries in entries_by_kind.items():
        joined = "|".join(sorted(entries))
        lines.append(f"{json.dumps(kind)}: {json.dumps(joined, ensure_ascii=False)}")
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _read_countries() -> list[dict[str, Any]]:
    """Return what the package says of each country that has a name."""
    countries = []
    for folder in ("data", "data_no_iso"):
        for file in (files("countryinfo") / folder).iterdir():
            if file.name.endswith(".json"):
                country = json.loads(file.read_text(encoding="utf-8"))
                if country.get("name"):
                    countries.append(country)
    return countries


def _spellings(country: dict[str, Any]) -> list[str]:
    """Return the names of a country that are written in Latin letters, each once."""
    names = [country["name"], *country.get("altSpellings", ())]
    latin = [
        name.strip() for name in names if _LATIN_NAME.fullmatch(name.strip()) or name in _ACRONYMS
    ]
    return list(dict.fromkeys(latin))


def _demonyms(country: dict[str, Any]) -> str:
    """Return the name of a country and what its people are called, with "/" between them."""
    demonyms = [name.strip() for name in re.split(r",| or |;", country["demonym"])]
    return "/".join([country["name"], *(name for name in demonyms if name)])


if __name__ == "__main__":
    main()
