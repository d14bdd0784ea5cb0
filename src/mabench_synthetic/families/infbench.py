"""Makes rows of InfiniteBench summaries: a long story, a reference summary and key points."""

from __future__ import annotations

from random import Random

from mabench.data.schema import RowContent
from mabench_synthetic.generator import (
    Generator,
    Knob,
    QAPair,
    RowSpec,
    id_stem_of,
    random_stream,
    row_content,
)
from mabench_synthetic.language import listed
from mabench_synthetic.story import Story, make_story, summarize

_KNOBS = (
    Knob("points", 11, 4, 40, "words of the reference for each key point; fewer make more points"),
)
# A summary has a word for this many tokens of its story, within these bounds.
_TOKENS_PER_WORD = 150
_SHORTEST, _LONGEST = 200, 1_100
_NAMED = 8
_SHOT_TOKENS = 2_500
_SHOT_KEYPOINTS = 8
_DECISIVE = ("resolve", "find", "buy", "steal", "give", "hide", "quarrel", "arrive")
_TASK = (
    "Summarize the story in about {fewest} to {most} words. Keep to what happens and to whom, in "
    "the order of the story, and leave out any judgement of your own."
)


def _make_row(spec: RowSpec) -> RowContent:
    """Make a row of one question, with two worked examples in it and in ``demo``."""
    shots = random_stream(spec.seed, "infbench", "shots")
    demo = "\n\n".join(f"[story text]\nSummary: {_shot(shots)}" for _ in range(2))
    words = min(_LONGEST, max(_SHORTEST, spec.tokens // _TOKENS_PER_WORD))
    task = _TASK.format(fewest=words - words // 10, most=words + words // 10)
    question = f"{task}\n\nFor example:\n\n{demo}\n\n\nNow summarize the story."
    rng = random_stream(spec.seed, "infbench", spec.row)
    story = make_story(rng, spec.tokens)
    points = _keypoints(rng, story, round(words / int(spec.knobs["points"])))
    pair = QAPair(question, (_summary(story, points),))
    return row_content(
        spec.source, story.text, [pair], id_stem=id_stem_of(spec), keypoints=points, demo=demo
    )


def _keypoints(rng: Random, story: Story, count: int) -> list[str]:
    """Return events that changed something or set somebody a goal, spread over the story."""
    decisive = [event for event in story.events if event.kind in _DECISIVE]
    count = min(count, len(decisive))
    chosen = [decisive[i * len(decisive) // count] for i in range(count)]
    return [summarize(rng, event) for event in chosen]


def _summary(story: Story, points: list[str]) -> str:
    """Return a summary: where the story is set, about whom, and its key points."""
    opening = f"The story is set in {story.town} and follows {listed(story.cast[:_NAMED])}."
    return " ".join((opening, *points))


def _shot(rng: Random) -> str:
    """Return the summary of a short story of its own."""
    story = make_story(rng, _SHOT_TOKENS)
    return _summary(story, _keypoints(rng, story, _SHOT_KEYPOINTS))


GENERATOR = Generator(family="infbench", make_row=_make_row, knobs=_KNOBS)
