"""One answer before a judge: what is asked, how often, and what comes of it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from mabench.families import JudgePrompt, JudgingInput, Prompts, Reading, Rubric
from mabench.models import Model, ModelError, ModelUnavailableError, Request
from mabench.redact import redact
from mabench.runs.records.judgments import JudgeName, Judgment, answer_hash
from mabench.runs.records.sample import Sample

# The published judge's verdicts are a word; the room is for models that think aloud.
_MAX_TOKENS = 1024
# How often a judge is asked for one verdict that can be read.
_ASKED = 3
# How much of an unreadable reply an error repeats, in characters.
_SAID = 120


class Case(NamedTuple):
    """An answer to be judged, and how its family judges."""

    sample: Sample
    judged: JudgingInput
    family: str
    judge: Rubric


class JudgeClient(NamedTuple):
    """Who judges, and by which prompts."""

    model: Model
    prompts: Prompts

    def name(self, case: Case) -> JudgeName:
        """Return what names this judge in judgments of such cases."""
        return JudgeName(self.model.name, self.prompts.judge_hash(case.family))


async def judgment_of(court: JudgeClient, case: Case) -> Judgment:
    """Ask all that there is to ask about one answer.

    Raises:
        ModelUnavailableError: when the judge will never reply; any other failure is recorded.
    """
    sample = case.sample
    judge = court.name(case)
    judgment = Judgment(
        sample.split,
        sample.row,
        sample.question_index,
        sample.source,
        judge.model,
        judge.prompts,
        answer_hash(case.judged.prediction),
    )
    verdict: dict[str, int] = {}
    try:
        for inquiry in case.judge.inquiries(case.judged):
            prompt = court.prompts.inquire(case.family, inquiry)
            verdict |= await _reading(court.model, prompt, inquiry)
    except ModelUnavailableError:
        raise
    except ModelError as error:
        return replace(judgment, error=redact(str(error)))
    if not verdict:
        return replace(judgment, error="the row holds nothing to judge by: no key points")
    return replace(judgment, verdict=verdict, value=case.judge.value(verdict))


async def _reading(model: Model, prompt: str, inquiry: JudgePrompt) -> Reading:
    """Ask until the reply can be read; a little warmer each time, since 0 repeats itself."""
    reply = ""
    for attempt in range(_ASKED):
        request = Request(prompt, _MAX_TOKENS, temperature=0.4 * attempt, attempt=attempt)
        reply = (await model.reply(request)).text
        reading = inquiry.read(reply)
        if reading is not None:
            return reading
    said = " ".join(reply.split())[:_SAID]
    raise ModelError(f"{inquiry.role}: no verdict in {_ASKED} replies, the last being {said!r}")
