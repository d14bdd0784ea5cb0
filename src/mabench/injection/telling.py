"""What an agent is told of a row: the chunks of its history, and the queries."""

from __future__ import annotations

from mabench.contract import Query
from mabench.data import Question, Row
from mabench.families import Family, Prompts, ScoringInput, search_query
from mabench.injection import InjectionProtocol
from mabench.scoring import Catalogue
from mabench.specs import RunSpec


class Telling:
    """How the histories of a run are told and its questions put.

    Args:
        spec: the run.
        protocol: cuts histories into chunks.
        prompts: the prompts of the run.
    """

    def __init__(self, spec: RunSpec, protocol: InjectionProtocol, prompts: Prompts) -> None:
        self._spec = spec
        self._protocol = protocol
        self._prompts = prompts

    def chunks(self, family: Family, row: Row) -> list[str]:
        """Return what the agent is told of a row, one after the other.

        Raises:
            MabenchError: when tokenizer data cannot be had.
        """
        chunks = self._protocol.chunks(
            family,
            row.context,
            self._spec.injection.chunk_tokens,
            offline=self._spec.data.offline,
        )
        # The published chunker can make empty chunks; there is nothing to memorize in one.
        return [self._prompts.tell(family.name, chunk) for chunk in chunks if chunk]

    def query(self, family: Family, question: Question) -> Query:
        """Return how a question is put."""
        prompt = self._prompts.ask(family.name, question.question)
        return Query(
            prompt,
            question=question.question,
            search_query=search_query(prompt),
            max_tokens=self._protocol.budget(family).answer_tokens,
            system=self._prompts.system(family.name),
        )


def perfect_answer(family: Family, question: Question, catalogue: Catalogue | None) -> str:
    """Return the text of a perfect answer, which only the oracle is shown."""
    kind = question.question_type
    return family.ideal(ScoringInput("", question.answers, question.question, catalogue, kind))
