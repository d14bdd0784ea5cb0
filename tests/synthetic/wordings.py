"""Reading texts back through the wordings that they were made of."""

import re
from collections.abc import Iterable


def pattern(wording: str) -> re.Pattern[str]:
    """Turn a wording with slots into a pattern with a group for each slot."""
    seen: set[str] = set()

    def group(match: re.Match[str]) -> str:
        name = match.group(1)
        if name in seen:
            return f"(?P={name})"
        seen.add(name)
        return f"(?P<{name}>.+?)"

    parts = re.split(r"(\{\w+\})", wording)
    body = "".join(
        re.sub(r"\{(\w+)\}", group, part) if part.startswith("{") else re.escape(part)
        for part in parts
    )
    return re.compile(body, re.IGNORECASE)


def read(text: str, wordings: Iterable[str]) -> Iterable[dict[str, str]]:
    """Yield the slots of every wording that ``text`` as a whole can be."""
    for wording in wordings:
        match = pattern(wording).fullmatch(text)
        if match:
            yield match.groupdict()
