"""Every regular expression of the package, and texts on which a careless one takes for ever."""

import ast
import importlib
import pkgutil
import re
import signal
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, product
from pathlib import Path
from re import _compiler, _parser  # type: ignore[attr-defined]
from re import _constants as codes  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

import pytest

import mabench
from mabench.scoring import lexicon
from mabench.scoring.lexicon import entries, sections
from mabench.scoring.sameness import quantities, times
from mabench.scoring.sameness.rewritings import DIGITS, WORDS
from mabench.scoring.stated import decisions, line, reading
from mabench.text import Option
from tests.command_line import within

ROOT = Path(mabench.__file__).parent
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_OF_ONE_CHARACTER = (codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN)
_CALLS = ("compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn")
_ALONG = {"search", "split", "findall", "finditer", "sub", "subn"}
_CANDIDATES = "a1 A.-_,:;'\"()[]{}<>|*+#/@=\\\n\t?!\u0663\u00e9\u2019\u6f22\x00"
_GENERIC = [
    " ", "a", "A", "1", "-", ".", "\n", "\t", "(", "[", "{", "<", "|", "'", '"', "\\", "_",
    "<think>", "1. ", "Aa ", "\u0663 ", "label ", "label: ", "answer: ", "Answer is ", "(A) ",
    "a\n", " \n", "\r\n", "a.b ", "A, ", "1,", "--", "token=", "in the ", "Document 1:\n", "' \"",
]  # fmt: skip
# Modules that import packages of others, which extras bring.
_WITH_PACKAGES = ("mabench_systems", "mabench.export.inspect_tasks")


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages([str(ROOT)], "mabench."):
        if found.name == "mabench.__main__":
            continue
        try:
            yield importlib.import_module(found.name)
        except ImportError:
            assert found.name.startswith(_WITH_PACKAGES), found.name


@cache
def patterns(of_lines: bool = False) -> dict[re.Pattern[str], set[str]]:
    """Return the patterns of the package with the names of the methods that are used of each.

    Either those that read lines of signs, which are short, or all others.
    """
    found: dict[re.Pattern[str], set[str]] = {}
    # Others import the decisions, with their patterns.
    of_decisions = set() if of_lines else {*patterns(of_lines=True)}
    for module in modules():
        if (module in _OF_LINES) is not of_lines:
            continue
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        used = _methods(tree)
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                found.setdefault(value, set()).update(used[name])
        for value in vars(module).values():
            for pattern in _inside(value):
                found.setdefault(pattern, set())
        for call, function in _calls(tree):
            place = f"{module.__name__}:{function}"
            scopes = [{**vars(module), **values} for values in _MADE.get(place, [{}])]
            for pattern in _written(call, scopes, place):
                method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
                found.setdefault(pattern, set()).update({method} - {"compile"})
    return {pattern: used for pattern, used in found.items() if pattern not in of_decisions}


def operations(methods: set[str]) -> list[str]:
    """Return what to attack: the kinds of methods that are used, both where that is unknown."""
    kinds = {"finditer" if method in _ALONG else method for method in methods}
    return sorted(kinds & {"finditer", "match", "fullmatch"}) or ["finditer", "fullmatch"]


def attacks(pattern: re.Pattern[str]) -> Iterator[Callable[[int], str]]:
    """Yield what makes texts of a length, from the pattern's own pieces and from generic ones."""
    tree = _parser.parse(pattern.pattern, pattern.flags)
    alphabet = [*dict.fromkeys("".join(_example(tree, choice) for choice in range(3)))][:9]
    pieces = [piece for piece in dict.fromkeys(_pieces(tree, "")) if piece]
    pairs = ["".join(pair) for pair in product(alphabet[:5], repeat=2)]
    for pump in dict.fromkeys([*pieces, *alphabet, *_GENERIC, *pairs]):
        for tail in ("", "\x00!"):
            yield _pumped("", pump, tail)
    for lead, pump in product(islice(reversed(pieces), 5), [*alphabet, "a ", " a"]):
        yield _pumped(lead, pump, "\x00!")


def seconds_of(pattern: re.Pattern[str], operation: str, text: str) -> float:
    """Return the processor time of an operation on a text."""
    subject: Any = text
    if isinstance(pattern.pattern, bytes):
        subject = text.encode("utf-8", "surrogatepass")
    start = time.thread_time()
    if operation == "finditer":
        for _ in pattern.finditer(subject):
            pass
    else:
        getattr(pattern, operation)(subject)
    return time.thread_time() - start


def _pumped(lead: str, pump: str, tail: str) -> Callable[[int], str]:
    return lambda length: lead + pump * (length // len(pump)) + tail


def _inside(value: object, depth: int = 5) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, list | tuple | set | frozenset | dict):
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        for part in parts:
            yield from _inside(part, depth - 1)
    elif depth and type(value).__module__.startswith("mabench"):
        for part in getattr(value, "__dict__", {}).values():
            yield from _inside(part, depth - 1)


def _methods(tree: ast.Module) -> Mapping[str, set[str]]:
    used: dict[str, set[str]] = defaultdict(set)
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in _CALLS:
                used[name].add(attr)
    return used


def _calls(tree: ast.AST, function: str = "") -> Iterator[tuple[ast.Call, str]]:
    for node in ast.iter_child_nodes(tree):
        inner = node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else function
        yield from _calls(node, inner)
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=attr)) if attr in _CALLS:
                yield node, function


def _written(
    call: ast.Call, scopes: Sequence[Mapping[str, object]], place: str
) -> Iterator[re.Pattern[str]]:
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    given = [word.value for word in call.keywords if word.arg == "flags"]
    position = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(method, 2)
    flags = [*call.args[position : position + 1], *given][:1]
    for scope in scopes:
        try:
            text = _value(call.args[0], scope)
        except NameError as error:
            if place.endswith(":"):
                continue  # In a comprehension: its patterns are values of the module.
            raise AssertionError(
                f"{place} makes a pattern; give it values in _MADE: {error}"
            ) from None
        yield re.compile(text, _value(flags[0], scope) if flags else 0)


def _value(node: ast.expr, scope: Mapping[str, object]) -> Any:
    return eval(ast.unparse(node), dict(scope))


def _characters(kind: Any, value: Any) -> Sequence[str]:
    """Return characters to try of those that a part matches: one, or three of a set."""
    return _matched(kind, *value)[:3] if kind is codes.IN else _matched(kind, value)[:1]


@cache
def _matched(kind: Any, *listed: Any) -> Sequence[str]:
    items = listed if kind is codes.IN else [(kind, *listed)]
    own = [chr(of) for what, of in items if what is codes.LITERAL]
    own += [chr(of[0]) for what, of in items if what is codes.RANGE]
    tree = (kind, [*listed]) if kind is codes.IN else (kind, *listed)
    part = _compiler.compile(_parser.SubPattern(_parser.State(), [tree]), re.UNICODE)
    return [one for one in dict.fromkeys([*own, *_CANDIDATES]) if part.fullmatch(one)]


def _example(tree: Any, choice: int = 0) -> str:
    text = ""
    for kind, value in tree:
        if kind in _OF_ONE_CHARACTER:
            members = _characters(kind, value)[: choice + 1]
            text += members[-1] if members else ""
        elif kind in _REPEATS:
            text += _example(value[2], choice) * min(max(value[0], 1), 200)
        elif kind in (codes.SUBPATTERN, codes.ATOMIC_GROUP):
            text += _example(_parts(kind, value)[0], choice)
        elif kind is codes.BRANCH:
            text += _example(value[1][choice % len(value[1])], choice)
    return text


def _parts(kind: Any, value: Any) -> Sequence[Any]:
    if kind is codes.ATOMIC_GROUP:
        return [value]
    if kind is codes.BRANCH:
        return list(value[1])
    places = dict.fromkeys(_REPEATS, 2) | {codes.SUBPATTERN: 3}
    place = (places | dict.fromkeys((codes.ASSERT, codes.ASSERT_NOT), 1)).get(kind)
    return [value[place]] if place else []


def _pieces(tree: Any, before: str) -> Iterator[str]:
    """Yield examples of all that repeats, with and without what stands before it."""
    for choice in range(3):
        yield _example(tree, choice)
    text = before
    for kind, value in tree:
        if kind in _REPEATS:
            body = _example(value[2])
            yield from (text, body, text + body, text + body * 2, body + "\x00")
        for part in _parts(kind, value):
            yield from islice(_pieces(part, text), 40)
        text += _example([(kind, value)])


_SHORT, _PARTS, _LONG = 2_000, (40_000, 200_000), 1_000_000
_SHARES = 16
_OF_LINES = (decisions, line)  # Modules whose patterns read lines of signs.
_SECONDS = 2.0  # Of processor time, for a megabyte.
# How the time grows is told by processor time at two lengths, the least of three. It is as good on
# a busy machine: a linear pattern takes 16 times as long at the second, a quadratic one 256 times.
_TIMES, _GROWTH = 16, 64
_GLANCE = (4, 7)  # The same at a nearer length, which spares most patterns the rest.
_SUSPECT = 0.0015  # A short text takes linear ones less than this, but for the slowest.
_HANGS = 1.0  # Of processor time; linear ones take milliseconds.

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
        scope = dict(vars(importlib.import_module(f"mabench.scoring.{place}")))
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


# The functions that make patterns of variables, and values of these for each pattern.
_MADE: Mapping[str, Sequence[Mapping[str, object]]] = {
    "mabench.data.descriptions.parts:_step": [
        {"before": before, "value": value, "after": after}
        for before, value, after in (("session_", r"\d{1,9}", ""), ("", ".+", "_date_time"))
    ],
    "mabench.agents.guessing:as_answer": [{"option": Option("a b  c", "A")}],
    "mabench_floor.labels.skill:demonstrations_in": [{"names": [("label", 9)]}],
    "mabench_floor.recommendation.skill:dialogues_in": each("speakers", [], ["System", "User"]),
    "mabench.reports.tables:_retitle_text": each("name", "ruler_qa1_197K", "longmemeval_s*"),
    "mabench.text.spans:find_spans": each("phrase", "a", r"a\W{1,5}a\W{1,5}a", r"1\W{1,5}b"),
    "mabench.data.turns.messages:_find_name": each("name", "Amal", "a.b", "2023/05/08"),
    "mabench.scoring.lexicon:pattern": list(listed()),
    "mabench.scoring.catalogue:_with_letters": each("title", "Se7en", "a (b"),
    # The parts of one long pattern, which reads a final answer of some thousand characters.
    "mabench.scoring.stated.reading:_finder": [
        *({"first": "|".join(said), "last": "x"} for said in sections()["signs"].values()),
        *({"first": "x", "last": "|".join(said)} for said in sections()["marks"].values()),
        *({"first": "x", "last": said} for said in entries("numbers.cited")),
    ],
    # A line has at most some hundred signs.
    "mabench.scoring.stated.signs:signs": each("pattern", "NOT PLAIN* (?P<value> VALUE )"),
    "mabench.scoring.sameness.kin:_rewritten": each(
        "written",
        *(e.split()[0] for kind in ("forms.american", "names.sounds") for e in entries(kind)),
    ),
    "mabench.scoring.sameness.times:_time_pattern": [{"parts": times._parts()}],
    "mabench.scoring.sameness.quantities:_prepare": [
        {"step": step, "parts": quantities._parts()} for step in (*WORDS, *DIGITS)
    ],
    "mabench.models.server.refused_parameters:find_refused_parameter": [{"name": "max_tokens"}],
    # What a user wrote, which is tried on an empty text alone.
    "mabench.data.sources.units:find_unit_fault": [{"unit": r"^Ticket \d+:"}],
    "mabench.families.benchmark.recsys:_gold_already_named": [
        {"title": "It", "year": r" \(\d{4}\)"},
        {"title": "aa aa", "year": ""},
    ],
    "mabench.families.benchmark.longmemeval:_tokens": each("quotes", ["'", '"'], ["'"], ['"'], []),
}


def slow(
    pattern: re.Pattern[str], methods: set[str], hangs: Hangs, seconds: float, *, most: int = 3
) -> list[str]:
    found = []
    for make in attacks(pattern):
        for operation in operations(methods):
            try:
                with within(seconds, signal.ITIMER_VIRTUAL):
                    late = hangs(pattern, operation, make)
            except AssertionError:  # Of `within`.
                late = True
            if late:
                found.append(f"{operation} on {make(200)[:60]!r}")
                if len(found) == most:
                    return found
    return found


def grows(pattern: re.Pattern[str], operation: str, make: Callable[[int], str]) -> bool:
    """Return whether the time grows much faster than the text."""

    def seconds(length: int) -> float:
        return seconds_of(pattern, operation, make(length))

    if seconds(_SHORT) < _SUSPECT:
        return False
    short = min(seconds(_SHORT) for _ in range(3))
    if short < _SUSPECT:
        return False
    # The least of three is above a limit if all three are, so the first below it settles it.
    return all(
        seconds(times * _SHORT) > growth * short
        for times, growth in (_GLANCE, (_TIMES, _GROWTH))
        for _ in range(3)
    )


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
    every = patterns()
    assert len(every) > 100
    found = {
        pattern.pattern: slow(pattern, methods, grows, _HANGS) for pattern, methods in every.items()
    }
    assert {pattern: texts for pattern, texts in found.items() if texts} == {}


def test_no_pattern_takes_long_on_a_line_of_the_most_signs() -> None:
    def late(pattern: re.Pattern[str], operation: str, make: Callable[[int], str]) -> bool:
        return min(seconds_of(pattern, operation, make(reading.MOST_SIGNS)) for _ in range(2)) > 1

    every = patterns(of_lines=True)
    assert len(every) > 30
    found = {
        pattern.pattern: slow(pattern, methods, late, _HANGS) for pattern, methods in every.items()
    }
    assert {pattern: texts for pattern, texts in found.items() if texts} == {}


# Sixteen minutes of processor time in all, in parts that processes can share.
@pytest.mark.slow
@pytest.mark.parametrize("part", range(_SHARES))
def test_no_pattern_hangs_on_a_megabyte(part: int) -> None:
    shared = [*patterns().items()][part::_SHARES]
    found = {
        pattern.pattern: slow(pattern, methods, takes_long, _SECONDS) for pattern, methods in shared
    }
    assert {pattern: texts for pattern, texts in found.items() if texts} == {}


@pytest.mark.parametrize(
    "quadratic",
    [
        r"\s+$",
        r"<a>.*?</a>",
        pytest.param(r"\((?:[^()]|\w)*\)x", marks=pytest.mark.slow),
        pytest.param(r"\d+\.\d+(?!\d)!", marks=pytest.mark.slow),
        pytest.param(r"[A-Z]\w+ \d+:.*;", marks=pytest.mark.slow),
    ],
)
def test_the_attacks_find_a_careless_pattern(quadratic: str) -> None:
    pattern = re.compile(quadratic)
    assert slow(pattern, {"finditer"}, grows, _HANGS, most=1)


@pytest.mark.parametrize(
    "linear", [r"(?<!\s)\s++$", r"\w+", r"a[^ab]*b", r"(?<!\S)\S{1,9}", "x|y z"]
)
def test_the_attacks_pass_a_careful_pattern(linear: str) -> None:
    assert slow(re.compile(linear), {"finditer"}, grows, _HANGS) == []
