"""Fits how many o200k_base tokens made-up text has, for generators that cannot count them.

    make fit, or python -m tools.fit.lengths [FILE]

Writes ``src/mabench_synthetic/lengths.json``, or FILE, always with the same bytes: what an
invented name weighs and each of its letters adds, by least squares over names of 60 sound patterns,
and for each kind of text the rate of its tokens to what the generator takes them for, over rows of
stated seeds. o200k_base comes with the extra ``paper``.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from string import ascii_lowercase
from typing import Any

import numpy as np

from mabench.text.names import NameInventor
from mabench.text.tokenizers import load_encoding
from mabench_synthetic import language, make_rows, row_specs

FILE = Path(language.__file__).with_name("lengths.json")
_PATTERNS, _NAMES = 60, 250  # Sound patterns, and names of each.
_SEEDS = range(200, 206)  # Tests, benchmarks and the data sets of the command line use others.
# A source of each kind of text, and how long its rows are.
_SOURCES = {
    "story": ("eventqa_65536", 64_000),
    "facts": ("factconsolidation_sh_32k", 32_000),
    "mystery": ("detective_qa", 64_000),
    "chats": ("longmemeval_s*", 64_000),
    "films": ("recsys_redial_full", 64_000),
    "articles": ("ruler_qa1_197K", 64_000),
    "titled articles": ("ruler_qa2_421K", 64_000),
}


def main() -> None:
    """Fit the numbers and write them."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    path.write_text(json.dumps(fit(), indent=1) + "\n", encoding="utf-8")


def fit() -> dict[str, Any]:
    """Return what names and letters weigh, and the rate of each kind of text."""
    encoding = load_encoding(offline=True)

    def count_tokens(text: str) -> int:
        return len(encoding.encode(text, disallowed_special=()))

    names = [name for seed in range(_PATTERNS) for name in _invent_names(seed)]
    fitted: dict[str, Any] = _fit_letters(names, [count_tokens(f" {name}") for name in names])
    # The generator takes the new weights, and rates of 1, to make the rows that give the rates.
    language.FITTED.update(fitted | {"rates": dict.fromkeys(_SOURCES, 1.0)})
    language.forget()
    rates = {}
    for kind, (source, tokens) in _SOURCES.items():
        rates_of_rows = [
            count_tokens(row.context) / tokens
            for seed in _SEEDS
            for row in make_rows(row_specs(source, seed, tokens=tokens, rows=1))
        ]
        rates[kind] = round(fmean(rates_of_rows), 3)
    return fitted | {"rates": rates}


def _invent_names(seed: int) -> list[str]:
    """Return invented names of one sound pattern."""
    inventor = NameInventor(Random(seed))  # noqa: S311 - for repeatable names
    return [inventor.word() for _ in range(_NAMES)]


def _fit_letters(names: Sequence[str], tokens: Sequence[int]) -> dict[str, Any]:
    """Return how many tokens a name has at least, and how many each of its letters adds.

    ``tokens`` are those of each name. The fit is by least squares.
    """
    letters = [
        letter for letter in ascii_lowercase if any(letter in name.lower() for name in names)
    ]
    letter_counts = [Counter(name.lower()) for name in names]
    matrix = np.array([[1.0, *(counts[letter] for letter in letters)] for counts in letter_counts])
    solution = np.linalg.lstsq(matrix, np.array(tokens, dtype=float), rcond=None)[0].tolist()
    name_weight, *letter_weights = solution
    return {
        "name": round(name_weight, 2),
        "letters": {
            letter: round(weight, 2) for letter, weight in zip(letters, letter_weights, strict=True)
        },
    }


if __name__ == "__main__":
    main()
