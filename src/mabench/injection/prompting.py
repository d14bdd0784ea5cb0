"""Applies the protocol and the prompts of a run to histories and questions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from mabench.contract import Query
from mabench.data import Question, Row
from mabench.families import Family, Prompts, search_query
from mabench.injection.protocols import PROTOCOLS
from mabench.injection.scripts import Script
from mabench.specs import RunSpec
from mabench.text.times import read_time


class Prompting:
    """The protocol and the prompts of a run."""

    def __init__(self, spec: RunSpec, prompts: Prompts) -> None:
        self._spec = spec
        self._protocol = PROTOCOLS[spec.injection.protocol]
        self._prompts = prompts

    def script(self, family: Family, row: Row, native: Collection[str], unit: str) -> Script:
        """Return the script of a row in the words of the prompts; see a protocol's ``script``."""
        size, offline = self._spec.injection.chunk_tokens, self._spec.data.offline
        script = self._protocol.script(family, row, size, native=native, unit=unit, offline=offline)
        tell = self._prompts.tell
        pieces = [replace(piece, text=tell(family.name, piece.text)) for piece in script.pieces]
        return script._replace(pieces=pieces)

    def query(self, family: Family, question: Question, by_turn: bool = False) -> Query:
        """Return the query for a question, with its time and user if histories come ``by_turn``."""
        prompt = self._prompts.ask(family.name, question.question)
        return Query(
            prompt,
            question=question.question,
            search_query=search_query(prompt),
            max_tokens=self._protocol.budget(family).answer_tokens,
            system=self._prompts.system(family.name),
            time=read_time(question.question_date) if by_turn else None,
            user=question.asked_by if by_turn else None,
        )
