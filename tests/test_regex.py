import ast
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path

import pytest

from mabench.scoring import lexicon, standing
from mabench.scoring.lexicon import entries
from mabench.scoring.sameness import quantities
from mabench.text import Option
from tests.regex_attacks import LimitError, attacks, limited, operations, patterns, seconds_of, ways

_SHORT, _PARTS, _LONG = 2_000, (40_000, 200_000), 1_000_000
_SHARES = 16
_SECONDS = 2.0  # Of processor time, for a megabyte.
# A short text takes most linear ones less than this.
_SUSPECT = 0.0002
_HOPELESS = 0.05
_SECONDS_OF_GROWTH = 0.5  # Linear ones are through in a tenth of this.
_FEW_WAYS = 100  # A pattern that matches in so few ways takes a time that grows with the text.
_GROWTH = 8  # Of the time that a text of four times the length takes: 4 is linear, 16 quadratic.

Hangs = Callable[[re.Pattern[str], str, Callable[[int], str]], bool]


def uses(call: ast.Call, tree: ast.Module, code: str) -> set[str]:
    """Return the methods that are called on the pattern that a call makes."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=value, attr=method) if value is call:
                return {method}
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is call:
                return set(re.findall(rf"\b{name}\.(\w+)\(", code))
            case ast.FunctionDef(name=name, body=[*_, ast.Return(value=value)]) if value is call:
                return set(re.findall(rf"\b{name}\([^()]*\)\.(\w+)\(", code))
    return set()


def listed() -> Iterator[Mapping[str, object]]:
    """Yield the templates of the patterns over word lists, with the names of the lists."""
    folder = Path(lexicon.__file__).parent
    code = {path: path.read_text(encoding="utf-8") for path in folder.rglob("*.py")}
    for path, text in code.items():
        tree = ast.parse(text)
        place = path.relative_to(folder).with_suffix("").as_posix().replace("/", ".")
        scope = dict(vars(import_module(f"mabench.scoring.{place}")))
        for node in ast.walk(tree):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=value)):
                    scope.setdefault(name, value)
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name(id="pattern"), args=[*parts]):
                    written = ", ".join(map(ast.unparse, parts))
                    template, *names = eval(f"({written},)", scope)
                    methods = uses(node, tree, text)
                    if methods and not methods & {"match", "fullmatch"}:
                        template = rf"(?>{template})"  # Nothing makes it go back.
                    elif methods and methods <= {"match", "fullmatch"}:  # At the beginning alone.
                        template = rf"\A(?:{template})"
                    yield {"template": template, "names": names}


def each(name: str, *values: object) -> list[Mapping[str, object]]:
    return [{name: value} for value in values]


# The functions that make patterns, and what of.
_MADE: Mapping[str, Sequence[Mapping[str, object]]] = {
    "mabench.agents.baselines:as_answer": [{"option": Option("a b  c", "A")}],
    "mabench_floor.labels.skill:demonstrations_in": [{"names": [("label", 9)]}],
    "mabench_floor.recommendation.skill:dialogues_in": each("speakers", [], ["System", "User"]),
    "mabench.reports.titles:retitle": each("name", "ruler_qa1_197K", "longmemeval_s*"),
    "mabench.text.marks:spans": each("phrase", "a", r"a\W{1,5}a\W{1,5}a", r"1\W{1,5}b"),
    "mabench.scoring.corrected.rule:without_question": each("asked", "a", "What is it"),
    "mabench.data.turns:_places": each("value", "Amal", "a.b", "2023/05/08"),
    "mabench.scoring.lexicon:pattern": list(listed()),
    "mabench.scoring.standing:_after": [
        {"_GAP": r"\A", "after": standing._after(kind).pattern} for kind in ("rejected", "passed")
    ],
    "mabench.scoring.sameness.kin:_spellings": each(
        "written",
        *(e.split()[0] for kind in ("forms.american", "names.sounds") for e in entries(kind)),
    ),
    "mabench.scoring.sameness.quantities:_sizes": each("units", "hour|minute"),
    "mabench.scoring.sameness.quantities:_steps": each(
        "pattern",
        *(s.pattern for kind in ("words", "digits") for _, s, _ in quantities._steps(kind)),
    ),
    "mabench.scoring.catalogue:entities_titled": [{"letters": "a[a-z]b[a-z]c"}],
    "mabench.models.chat:_refused_parameter": [{"name": "max_tokens"}],
    # What a user wrote, which is tried on an empty text alone.
    "mabench.data.unit_patterns:unit_fault": [{"unit": r"^Ticket \d+:"}],
    "mabench.families.recsys:_gold_already_named": [
        {"title": "It", "year": r" \(\d{4}\)"},
        {"title": "aa aa", "year": ""},
    ],
    "mabench.families.longmemeval:_tokens": each("quotes", ["'", '"'], ["'"], ['"'], []),
}


def slow(
    pattern: re.Pattern[str], methods: set[str], hangs: Hangs, seconds: float, *, most: int = 3
) -> list[str]:
    found = []
    for make in attacks(pattern):
        for operation in operations(methods):
            try:
                with limited(seconds):
                    late = hangs(pattern, operation, make)
            except LimitError:
                late = True
            if late:
                found.append(f"{operation} on {make(200)[:60]!r}")
                if len(found) == most:
                    return found
    return found


def grows(pattern: re.Pattern[str], operation: str, make: Callable[[int], str]) -> bool:
    """Whether the time grows faster than the text, twice."""
    seconds = seconds_of(pattern, operation, make(_SHORT))
    if seconds < _SUSPECT or seconds > _HOPELESS:
        return seconds > _HOPELESS
    quarter = min(seconds_of(pattern, operation, make(_SHORT // 4)) for _ in range(2))
    if seconds < _GROWTH * quarter:
        return False
    longer = min(seconds_of(pattern, operation, make(4 * _SHORT)) for _ in range(2))
    return longer > _GROWTH * seconds


def takes_long(pattern: re.Pattern[str], operation: str, make: Callable[[int], str]) -> bool:
    """Whether a megabyte takes too long.

    Parts of it go first. Where one is so quick that the whole, were its time to grow with the
    square, stays within the limit, the rest is left out. What grows faster is slow at the part.
    """
    for part in _PARTS:
        if seconds_of(pattern, operation, make(part)) < _SECONDS * (part / _LONG) ** 2:
            return False
    return seconds_of(pattern, operation, make(_LONG)) > _SECONDS


def test_no_pattern_hangs() -> None:
    every = patterns(_MADE)
    assert len(every) > 100
    found = {
        pattern.pattern: slow(pattern, methods, grows, _SECONDS_OF_GROWTH)
        for pattern, methods in every.items()
        if ways(pattern) > _FEW_WAYS
    }
    assert len(found) > len(every) / 2
    assert {pattern: texts for pattern, texts in found.items() if texts} == {}


# Sixteen minutes of processor time in all, in parts that processes can share.
@pytest.mark.slow
@pytest.mark.parametrize("part", range(_SHARES))
def test_no_pattern_hangs_on_a_megabyte(part: int) -> None:
    shared = [*patterns(_MADE).items()][part::_SHARES]
    found = {
        pattern.pattern: slow(pattern, methods, takes_long, _SECONDS) for pattern, methods in shared
    }
    assert {pattern: texts for pattern, texts in found.items() if texts} == {}


@pytest.mark.parametrize(
    "quadratic",
    [r"\s+$", r"<a>.*?</a>", r"\((?:[^()]|\w)*\)x", r"\d+\.\d+(?!\d)!", r"[A-Z]\w+ \d+:.*;"],
)
def test_the_attacks_find_a_careless_pattern(quadratic: str) -> None:
    pattern = re.compile(quadratic)
    assert ways(pattern) > _FEW_WAYS
    assert slow(pattern, {"finditer"}, grows, _SECONDS_OF_GROWTH, most=1)


@pytest.mark.parametrize(
    "linear", [r"(?<!\s)\s++$", r"\w+", r"a[^ab]*b", r"(?<!\S)\S{1,9}", "x|y z"]
)
def test_the_attacks_pass_a_careful_pattern(linear: str) -> None:
    assert slow(re.compile(linear), {"finditer"}, grows, _SECONDS_OF_GROWTH) == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("abc", 1),
        ("a|b|cd", 3),
        ("ab?c{2,5}", 8),
        (r"(?:ab|cd)?\d{4}", 3),
        ("(?:a{0,2}b?){0,2}", 43),
        ("(?=a?)b|(?<!a)[bc]", 3),
        ("a{0,99}b*", math.inf),
        ("(?>a+)b", math.inf),
        (r"(a)?\1", math.inf),
        ("(a)?(?(1)b|c)", math.inf),
    ],
)
def test_ways_are_counted(text: str, number: float) -> None:
    assert ways(re.compile(text)) == number
