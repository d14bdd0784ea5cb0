"""One answer before a judge: the prompts, the replies, and the verdict that they come to."""

from __future__ import annotations

from dataclasses import replace

from mabench.families import JudgePrompt, Prompts, Verdict
from mabench.models import ModelError, ModelSpec, ModelUnavailableError, ReadingModel
from mabench.redact import redact
from mabench.runs.judging.cases import JudgingCase
from mabench.runs.records.judgments import Judgment, answer_hash

# The published judge's verdicts are a word; the room is for models that think aloud.
MAX_TOKENS = 1024
# How many replies to one prompt may be unreadable, each to a request that is a little warmer.
_ATTEMPTS = 3
_WARMER = 0.4
# How much of an unreadable reply an error repeats, in characters.
_EXCERPT = 120


class CostReachedError(Exception):
    """The judge has cost as much as it may."""


class JudgeClient:
    """A judge's model with its prompts, and a limit to what it may cost."""

    def __init__(
        self, spec: ModelSpec, model: ReadingModel, prompts: Prompts, max_cost: float | None
    ) -> None:
        self._temperature = spec.temperature
        self._model = model
        self._prompts = prompts
        self._max_cost = max_cost

    async def judgment(self, case: JudgingCase) -> Judgment:
        """Return the verdict on an answer, or why there is none.

        Raises:
            ModelUnavailableError: when the judge will never reply; other failures are recorded.
            CostReachedError: when the money is spent before there is a verdict.
        """
        sample = case.sample
        judgment = Judgment(
            sample.split,
            sample.row,
            sample.question_index,
            sample.source,
            case.judge.model,
            case.judge.prompts,
            answer_hash(case.input.prediction),
        )
        verdict: dict[str, int] = {}
        try:
            for prompt in case.rubric.prompts_for(case.input):
                text = self._prompts.ask_judge(case.family, prompt)
                verdict |= await self._reading(prompt, text)
        except ModelUnavailableError:
            raise
        except ModelError as error:
            return replace(judgment, error=redact(str(error)))
        if not verdict:
            return replace(judgment, error="the row holds nothing to judge by: no key points")
        return replace(judgment, verdict=verdict, value=case.rubric.value(verdict))

    async def _reading(self, prompt: JudgePrompt, text: str) -> Verdict:
        """Return what the first readable reply says."""
        reply = ""
        for attempt in range(_ATTEMPTS):
            if self._max_cost is not None and self._model.spent >= self._max_cost:
                raise CostReachedError
            # Temperature 0 would repeat itself.
            warmth = max(self._temperature, _WARMER * attempt)
            reply = (
                await self._model.reply(text, MAX_TOKENS, temperature=warmth, attempt=attempt)
            ).text
            reading = prompt.read(reply)
            if reading is not None:
                return reading
        excerpt = " ".join(reply.split())[:_EXCERPT]
        raise ModelError(
            f"{prompt.role}: no verdict in {_ATTEMPTS} replies, the last being {excerpt!r}"
        )
