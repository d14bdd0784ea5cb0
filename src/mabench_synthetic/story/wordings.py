"""The words of stories: things, places, and the wordings of each kind of event.

Slots: actor, thing, other, place.
"""

from __future__ import annotations

from mabench_synthetic.language.wordings import phrases, table

MATERIALS = phrases("story", "materials")
# Each object, and what a summary may call it.
OTHER_OBJECTS = {
    name: other
    for name, (other,) in table("story", "other_objects").items()
}
OBJECTS = tuple(OTHER_OBJECTS)
# Each place, and what a summary may call it.
OTHER_PLACES = {
    name: other
    for name, (other,) in table("story", "other_places").items()
}
PLACES = tuple(OTHER_PLACES)

# The wordings of an event in the story.
NARRATIVES = table("story", "narratives")

# The wordings of the same event in a question or a summary.
SUMMARIES = table("story", "summaries")

OPENINGS = phrases("story", "openings")
