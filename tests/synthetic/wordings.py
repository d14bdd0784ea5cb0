"""Reading texts back through the wordings that they were made of."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from mabench_synthetic.story import NARRATIVES, OTHER_OBJECTS, OTHER_PLACES, SUMMARIES, StoryEvent


@cache
def pattern(wording: str) -> re.Pattern[str]:
    """Turn a wording with slots into a pattern with a group for each slot."""
    body, seen = "", set()
    for place, part in enumerate(re.split(r"\{(\w+)\}", wording)):
        if place % 2:
            body += f"(?P={part})" if part in seen else f"(?P<{part}>.+?)"
            seen.add(part)
        else:
            body += re.escape(part)
    return re.compile(body, re.IGNORECASE)


def read(text: str, wordings: Iterable[str]) -> Iterator[dict[str, str]]:
    """Yield the slots of every wording that ``text`` as a whole can be."""
    for wording in wordings:
        if match := pattern(wording).fullmatch(text):
            yield match.groupdict()


_PARTS = {"actor": "[A-Z][a-z]+", "other": "[A-Z][a-z]+"} | dict.fromkeys(
    ("thing", "place"), "the [a-z ]+?"
)


@cache
def _told() -> list[tuple[str, re.Pattern[str]]]:
    """Return patterns of what happens, each with its kind, as they stand within a paragraph."""
    found = []
    for kind, wordings in NARRATIVES.items():
        for wording in wordings:
            told = pattern(wording[0].upper() + wording[1:]).pattern
            for name, part in _PARTS.items():
                told = told.replace(f"<{name}>.+?", f"<{name}>{part}")
            found.append((kind, re.compile(told)))
    return found


def events_told(text: str) -> Iterator[StoryEvent]:
    """Yield the event of each paragraph of a story that tells one."""
    for paragraph in text.split("\n\n")[1:]:
        if not re.fullmatch(r"Chapter \d+", paragraph):
            slots = ((k, m.groupdict()) for k, told in _told() for m in told.finditer(paragraph))
            events = (StoryEvent(kind, **parts) for kind, parts in slots)
            (event,) = {e._replace(thing=e.thing[:1].lower() + e.thing[1:]) for e in events}
            yield event


_OBJECTS = {other: name for name, other in OTHER_OBJECTS.items()}
_PLACES = {other: name for name, other in OTHER_PLACES.items()}


def summarized(sentence: str) -> StoryEvent:
    """Return the event of a sentence of a summary, in the words of the story."""
    (event,) = {
        StoryEvent(kind, **slots)
        for kind, words in SUMMARIES.items()
        for slots in read(sentence, words)
    }
    the, material, thing = event.thing.split(" ", 2) if event.thing else ("", "", "")
    named = " ".join((the, material, _OBJECTS.get(thing, thing))).strip()
    return event._replace(thing=named, place=_PLACES.get(event.place, event.place))
