"""Reading the events of a story back out of its text."""

import re
from collections.abc import Iterator

from mabench_synthetic.story import NARRATIVES, OTHER_OBJECTS, OTHER_PLACES, SUMMARIES, Event
from tests.synthetic.wordings import pattern, read

_NAME = r"[A-Z][a-z]+"
_WHAT = r"the [a-z ]+?"
_TOLD = [
    (
        kind,
        re.compile(
            pattern(wording)
            .pattern.replace("<actor>.+?", f"<actor>{_NAME}")
            .replace("<other>.+?", f"<other>{_NAME}")
            .replace("<thing>.+?", f"<thing>{_WHAT}")
            .replace("<place>.+?", f"<place>{_WHAT}")
        ),
    )
    for kind, wordings in NARRATIVES.items()
    for wording in (w[0].upper() + w[1:] for w in wordings)
]


def events_told(text: str) -> Iterator[Event]:
    """Yield the event of each paragraph that tells one."""
    for paragraph in text.split("\n\n")[1:]:
        if not re.fullmatch(r"Chapter \d+", paragraph):
            (event,) = {
                Event(
                    kind, **{k: v[0].lower() + v[1:] if k == "thing" else v for k, v in m.items()}
                )
                for kind, told in _TOLD
                for m in (found.groupdict() for found in told.finditer(paragraph))
            }
            yield event


_OBJECTS = {other: name for name, other in OTHER_OBJECTS.items()}
_PLACES = {other: name for name, other in OTHER_PLACES.items()}


def summarized(sentence: str) -> Event:
    (event,) = {
        _in_the_words_of_the_story(Event(kind, **slots))
        for kind, wordings in SUMMARIES.items()
        for slots in read(sentence, wordings)
    }
    return event


def _in_the_words_of_the_story(event: Event) -> Event:
    the, material, thing = event.thing.split(" ", 2) if event.thing else ("", "", "")
    named = " ".join((the, material, _OBJECTS.get(thing, thing))).strip()
    return event._replace(thing=named, place=_PLACES.get(event.place, event.place))
