"""InfBench summary rows: a long story, a reference summary and the key points it must hold."""

from __future__ import annotations

from random import Random

from mabench.dataset.schema import RowContent
from mabench.synthesis.english import listed
from mabench.synthesis.rows import Item, row_content
from mabench.synthesis.story import Story, make_story, summarize
from mabench.synthesis.streams import stream

_ROWS = 2
_PEOPLE = 8
_EVENTS = 120
_SHOT_EVENTS = 30
_KEYPOINTS = 22
_SHOT_KEYPOINTS = 8
_DECISIVE = ("resolve", "find", "buy", "steal", "give", "hide", "quarrel")
_TASK = (
    "Summarize the story in about 200 to 300 words. Keep to what happens and to whom, in the "
    "order of the story, and leave out any judgement of your own."
)


def make_rows(seed: int) -> list[RowContent]:
    """Return two rows of one question each, with two worked examples in ``demo``."""
    shots = stream(seed, "infbench", "shots")
    demo = "\n\n".join(f"[story text]\nSummary: {_shot(shots)}" for _ in range(2))
    question = f"{_TASK}\n\nFor example:\n\n{demo}\n\n\nNow summarize the story."
    return [_row(seed, row, demo, question) for row in range(_ROWS)]


def _row(seed: int, row: int, demo: str, question: str) -> RowContent:
    rng = stream(seed, "infbench", row)
    story = make_story(rng, _PEOPLE, _EVENTS)
    points = keypoints(rng, story, _KEYPOINTS)
    item = Item(question, (_summary(story, points),))
    return row_content("infbench_sum_eng_shots2", story.text, [item], keypoints=points, demo=demo)


def keypoints(rng: Random, story: Story, count: int) -> list[str]:
    """Return the events that moved things or set somebody on a course, spread over the story."""
    decisive = [event for event in story.events if event.kind in _DECISIVE]
    count = min(count, len(decisive))
    chosen = [decisive[i * len(decisive) // count] for i in range(count)]
    return [summarize(rng, event) for event in chosen]


def _summary(story: Story, points: list[str]) -> str:
    opening = f"The story is set in {story.town} and follows {listed(story.cast)}."
    return " ".join((opening, *points))


def _shot(rng: Random) -> str:
    story = make_story(rng, 4, _SHOT_EVENTS)
    return _summary(story, keypoints(rng, story, _SHOT_KEYPOINTS))
