"""The length of a text in tokens: by tiktoken, or an estimate. Where its data come from.

For o200k_base and for Punkt, the user's own tiktoken and NLTK data come first, then a package that
ships them, then a download into our cache. Nothing is looked for before it is needed.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mabench.errors import MissingPackageError, require
from mabench.installation import cache_folder, import_lock, install_command

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktSentenceTokenizer
    from numpy.typing import NDArray
    from tiktoken import Encoding

# tiktoken takes a text in pieces: long runs of spaces in one piece make it fail. A border adds a
# token at most.
_COUNTED_AT_ONCE = 10_000
# Characters. Beyond them, counting would hold up other calls for longer than it is worth.
_MOST_COUNTED = 1_000_000
_PIECE = re.compile(r"[A-Za-z]+|[0-9]+|\n+|[^\W\d_A-Za-z]+|[^\w\s]+|_+")
_LINE_ENDS = re.compile(r"\n+")
_FIRST_IDEOGRAPH = 0x2E80
_PARTS = 1040  # Every weight is a whole number of such parts of a token.
_LONGEST_KEPT, _MOST_KEPT = 40, 200_000  # Words whose weight is remembered.
# Characters of the texts that are weighed at once: for fewer than the least, making arrays takes
# longer than counting; with more than the most, arrays leave the processor's cache.
_LEAST_AT_ONCE, _MOST_AT_ONCE = 2_000, 30_000
# A character of each kind; a piece is a run of one kind, and spaces, the first, weigh nothing.
_KINDS = " a0\n_."
_LONGEST_RUN = 200
# The name under which tiktoken keeps o200k_base: the sha1 of the address it comes from.
_O200K_FILE = "fb374d419588a4632f3f557e76b4b70aebbca790"
_PUNKT = "tokenizers/punkt_tab/english"


def count_tokens(text: str) -> int:
    """Return how many o200k_base tokens ``text`` has.

    tiktoken counts them where it and its data are on this machine, else ``estimate_tokens`` does;
    so it does for texts of over a million characters. Nothing is downloaded.
    """
    encoding = _encoding() if len(text) <= _MOST_COUNTED else None
    if encoding is None:
        return estimate_tokens(text)
    starts = range(0, len(text), _COUNTED_AT_ONCE)
    return sum(len(encoding.encode_ordinary(text[at : at + _COUNTED_AT_ONCE])) for at in starts)


@cache
def _encoding() -> Encoding | None:
    try:
        return load_encoding(offline=True)
    except MissingPackageError:
        return None


class _WordParts(dict[str, int]):
    """The parts of a token that words weigh, which are remembered once they were asked for."""

    def __missing__(self, word: str) -> int:
        parts = sum(round(weight * _PARTS) for _, weight in _weights(word))
        if len(word) <= _LONGEST_KEPT and len(self) < _MOST_KEPT:
            self[word] = parts
        return parts


_word_parts = _WordParts()


def _weights(text: str) -> Iterator[tuple[int, float]]:
    """Yield the end of each piece of ``text`` and the tokens that it is thought to take."""
    for match in _PIECE.finditer(text):
        piece = match.group()
        length, first = len(piece), piece[0]
        if not first.isascii():
            weight = length * 0.75 if ord(first) >= _FIRST_IDEOGRAPH else max(1.0, length / 3.2)
        elif first.isalpha():
            weight = max(1.0, length / 6.5)
        elif first.isdigit():
            weight = (length + 2) // 3
        else:
            weight = 0.8 if length == 1 else max(1.0, length / 2.5)
        yield match.end(), weight


def estimate_tokens(text: str) -> int:
    """Return about how many o200k_base tokens ``text`` has.

    Words, runs of digits, punctuation and ideographs are weighed by rates that were measured
    against o200k_base; on English prose, facts, dialogue and chat it is within 10 %.
    """
    # White space ends every piece, so a word weighs the same wherever it stands.
    parts = sum(map(_word_parts.__getitem__, text.split()))
    parts += sum(map(_word_parts.__getitem__, _LINE_ENDS.findall(text)))
    return _rounded(parts, text)


def estimate_each(texts: Iterable[str]) -> list[int]:
    """Return what ``estimate_tokens`` returns for each text; of many, in a fifth of the time."""
    counts: list[int] = []
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= _MOST_AT_ONCE:
            counts += _estimates(batch, size)
            batch, size = [], 0
    return counts + _estimates(batch, size)


def _estimates(texts: list[str], size: int) -> list[int]:
    """Return the tokens of each text: of ASCII, by arrays of runs unless one is too long."""
    if size < _LEAST_AT_ONCE or not all(map(str.isascii, texts)):
        return list(map(estimate_tokens, texts))
    import numpy as np

    # A space behind each text ends its last piece.
    joined = " ".join([*texts, ""]).encode()
    table, run_parts = _run_tables()
    kinds = np.frombuffer(joined.translate(table), np.uint8)
    ends = np.append(np.flatnonzero(kinds[1:] != kinds[:-1]), len(kinds) - 1)
    lengths = np.diff(ends, prepend=-1)
    if lengths.max() > _LONGEST_RUN:
        return list(map(estimate_tokens, texts))
    before = np.concatenate(([0], np.cumsum(run_parts[kinds[ends], lengths])))
    spaces = np.cumsum([len(text) + 1 for text in texts]) - 1
    weighed: list[int] = np.diff(before[np.searchsorted(ends, spaces)], prepend=0).tolist()
    return list(map(_rounded, weighed, texts))


@cache
def _run_tables() -> tuple[bytes, NDArray[Any]]:
    """Return the kind of each ASCII character, and what a run weighs by its kind and length."""
    import numpy as np

    samples = (" " if char.isspace() and char != "\n" else char for char in map(chr, range(128)))
    plain = ("a" if char.isalpha() else "0" if char.isdigit() else char for char in samples)
    kinds = (_KINDS.find(char) if char in _KINDS else len(_KINDS) - 1 for char in plain)
    lengths = range(_LONGEST_RUN + 1)
    runs = [[_word_parts[kind.strip(" ") * length] for length in lengths] for kind in _KINDS]
    return bytes(kinds).ljust(256, b"\0"), np.array(runs)


def _rounded(parts: int, text: str) -> int:
    if 2 * (parts % _PARTS) == _PARTS:
        return round(sum(weight for _, weight in _weights(text)))  # As floats round a half.
    return (2 * parts + _PARTS) // (2 * _PARTS)


def truncate_tokens(text: str, limit: int) -> str:
    """Return the longest start of ``text`` that has at most ``limit`` tokens by the estimate."""
    total = 0.0
    end = 0
    for piece_end, weight in _weights(text):
        total += weight
        if total > limit:
            return text[:end].rstrip()
        end = piece_end
    return text


def newest_tokens(text: str, limit: int) -> str:
    """Return the longest end of ``text`` that has at most ``limit`` tokens by the estimate."""
    over = sum(weight for _, weight in _weights(text)) - limit
    start = 0
    for piece_end, weight in _weights(text):
        if over <= 0:
            break
        over -= weight
        start = piece_end
    return text[start:].lstrip() if start else text


@cache
def load_encoding(*, offline: bool = False) -> Encoding:
    """Return o200k_base; raises ``MissingPackageError`` when tiktoken or its data are not there."""
    tiktoken = require("tiktoken", "paper")
    folder, name = next(_folders_with_o200k(), None), "TIKTOKEN_CACHE_DIR"
    if folder is None:
        if offline:
            raise MissingPackageError(f"no o200k_base on this machine; {_remedy()}")
        folder = cache_folder() / "tiktoken"
        folder.mkdir(parents=True, exist_ok=True)
    with import_lock:  # Threads share the environment.
        before, os.environ[name] = os.environ.get(name), str(folder)
        try:
            encoding: Encoding = tiktoken.get_encoding("o200k_base")
        except Exception as error:  # Whatever its HTTP library raises when there is no network.
            raise MissingPackageError(
                f"o200k_base could not be downloaded ({type(error).__name__}); {_remedy()}"
            ) from error
        finally:
            del os.environ[name]
            if before is not None:
                os.environ[name] = before
    return encoding


def _remedy() -> str:
    return (
        f"install a package that ships it ({install_command('paper')}), "
        "or use `protocol` structured, which needs no tokenizer data"
    )


def _folders_with_o200k() -> Iterator[Path]:
    own = [os.environ.get("TIKTOKEN_CACHE_DIR"), os.environ.get("DATA_GYM_CACHE_DIR")]
    candidates = [Path(folder) for folder in own if folder]
    candidates.append(Path(tempfile.gettempdir()) / "data-gym-cache")
    candidates += _packaged("llama_index.core", "_static/tiktoken_cache")
    candidates += _packaged("litellm", "litellm_core_utils/tokenizers")
    candidates.append(cache_folder() / "tiktoken")
    return (folder for folder in candidates if (folder / _O200K_FILE).is_file())


@cache
def load_punkt(*, offline: bool = False) -> PunktSentenceTokenizer:
    """Return NLTK's Punkt for English; raises ``MissingPackageError`` without its data."""
    with import_lock:
        import nltk
        from nltk.tokenize.punkt import PunktTokenizer

    try:
        return PunktTokenizer("english")
    except (LookupError, OSError, ValueError):
        pass  # Not among the user's own data, or NLTK refuses the file: ours comes next.
    folder = cache_folder() / "nltk_data"
    if not (folder / _PUNKT).is_dir() and not _copy_packaged_punkt(folder):
        if offline:
            raise MissingPackageError(f"no Punkt data on this machine; {_remedy()}")
        nltk.download("punkt_tab", download_dir=str(folder), quiet=True)
    if str(folder) not in nltk.data.path:
        nltk.data.path.append(str(folder))
    try:
        return PunktTokenizer("english")
    except (LookupError, OSError, ValueError) as error:
        raise MissingPackageError(f"Punkt data could not be obtained; {_remedy()}") from error


def _copy_packaged_punkt(folder: Path) -> bool:
    """Copy Punkt out of a package that ships it: NLTK refuses files that an installer linked."""
    for packaged in _packaged("llama_index.core", "_static/nltk_cache"):
        if (packaged / _PUNKT).is_dir():
            part = folder / f".{os.getpid()}.part"
            shutil.copytree(packaged / _PUNKT, part)
            target = folder / _PUNKT
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                part.rename(target)
            except OSError:  # Another process was first.
                shutil.rmtree(part)
            return True
    return False


def _packaged(package: str, inside: str) -> list[Path]:
    """Return the folder ``inside`` an installed package, without importing the package."""
    try:
        spec = importlib.util.find_spec(package)
    except (ModuleNotFoundError, ValueError):  # Not there, or a module that tells of no files.
        spec = None
    locations = spec.submodule_search_locations if spec else None
    return [Path(location) / inside for location in locations or ()]
