"""Links and anchors of Markdown files, checked without Sphinx.

Anchors are those of headings, by the rule that forges and MyST share: lower case, hyphens for
spaces, punctuation left out. External addresses are not visited.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from mabench_site.generated import expanded
from mabench_site.markdown import slug

_TARGET = re.compile(r"^\(([\w-]+)\)=$|<a (?:id|name)=\"([\w-]+)\"", re.MULTILINE)
_OPTION_ANCHOR = "cmdoption-"  # Sphinx makes those of options.


def broken_links(files: Iterable[Path]) -> list[str]:
    """Return what is wrong with the links of Markdown files, one line for each.

    A link is broken where its file does not exist, or has no such anchor.
    """
    return [fault for file in files for fault in _faults(file)]


def _faults(file: Path) -> Iterator[str]:
    for link in _links(file):
        if re.match(r"[a-z][a-z+.-]*:", link):
            continue
        place, _, anchor = link.partition("#")
        target = (file.parent / unquote(place)).resolve() if place else file.resolve()
        if not target.exists():
            yield f"{file}: the link to {link} leads nowhere"
        elif anchor and target.suffix == ".md" and not _is_there(anchor, target):
            yield f"{file}: the link to {link} names an anchor that is not there"


def _is_there(anchor: str, file: Path) -> bool:
    return anchor.startswith(_OPTION_ANCHOR) or anchor in anchors(file)


@cache
def anchors(file: Path) -> frozenset[str]:
    """Return the anchors of a Markdown file, its generated parts included."""
    found = {one or other for one, other in _TARGET.findall(file.read_text("utf-8"))}
    seen: Counter[str] = Counter()
    for opening, inline in pairwise(_tokens(file)):
        if opening.type == "heading_open":
            name = slug(_plain(inline))
            found.add(f"{name}-{seen[name]}" if seen[name] else name)
            seen[name] += 1
    return frozenset(found)


def _links(file: Path) -> Iterator[str]:
    for token in _tokens(file):
        for part in token.children or ():
            target = part.attrs.get("href") or part.attrs.get("src")
            if target:
                yield str(target)


def _plain(inline: Token) -> str:
    return "".join(part.content for part in inline.children or ())


@cache
def _tokens(file: Path) -> Sequence[Token]:
    # Tables are read as paragraphs, in which links are links, too; that is twice as quick.
    return MarkdownIt("commonmark").parse(expanded(file.read_text("utf-8")))
