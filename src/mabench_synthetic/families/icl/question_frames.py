"""Frames of questions: most fit many kinds of answer, some one kind alone."""

from __future__ import annotations

from mabench_synthetic.language.wordings import phrases, table

# Frames for any noun of a group: {h} is the noun of the kind asked for, {e} stands for a name.
FRAMES = {
    "letters": phrases("questions", "frames_letters"),
    "account": phrases("questions", "frames_account"),
    "thing": phrases("questions", "frames_thing"),
    "people": phrases("questions", "frames_people"),
    "place": phrases("questions", "frames_place"),
    "number": phrases("questions", "frames_number"),
}
# Frames of all kinds of a group, in which no noun tells them apart.
OPEN = {
    "thing": phrases("questions", "open_thing"),
    "people": phrases("questions", "open_people"),
    "place": phrases("questions", "open_place"),
    "number": phrases("questions", "open_number"),
}
# Frames of one kind alone.
OWN = table("questions", "own")
# What may stand for {e}.
NAMES = (
    "{person}",
    "{city}",
    "{country}",
    "{body}",
    "{name}",
    "the {y} of {city}",
    "the {topic} (of/in) {city}",
    "the {adjective} {topic}",
    "the {topic}",
    "the {adjective} {y}",
    "the {topic} of {person}",
    "the {y} in {country}",
)
VAGUE = phrases("questions", "vague")

COMMON = phrases("questions", "common")
TAILS = phrases("questions", "tails")
