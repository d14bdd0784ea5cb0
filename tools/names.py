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
_LATIN = re.compile(r"[A-Za-z\u00c0-\u017f '.-]{4,40}")
_ACRONYMS = {"US", "USA", "UK", "UAE", "DRC", "GDR", "USSR"}  # Other codes are also words.


def main() -> None:
    """Write the file."""
    countries = list(_countries())
    names = {
        "countries": sorted({"/".join(_spellings(country)) for country in countries}),
        "demonyms": sorted({_demonyms(country) for country in countries if country.get("demonym")}),
        "states": sorted(next(c["provinces"] for c in countries if c["name"] == "United States")),
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


if __name__ == "__main__":
    main()
