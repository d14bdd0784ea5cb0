import time
from collections.abc import Callable
from functools import partial

import pytest

import mabench
from mabench.contract import Query
from mabench.data.inventory import SOURCES
from mabench.families import family_of
from mabench.injection.structured_chunks import pack_units
from mabench.printable import printable
from mabench.redact import redact
from mabench.scoring import Catalogue
from mabench.scoring.judge_replies import counts, yes_or_no
from mabench.text import estimate_tokens, parse_options, split_sentences
from mabench_floor import FloorAgent
from mabench_floor.reader import SkillReader
from mabench_memories.retrieval import BM25Memory

_SECONDS = 4.0  # Of processor time; quadratic ones took from tens of seconds to minutes.
# The short texts of the default run take a fraction of a second; only what hangs takes this long.
_HANGS = 60.0
_MEGABYTE = pytest.param(1_000_000, _SECONDS, marks=pytest.mark.slow)
_FRAGMENTS = ["-", "1. ", "Aa ", "٣ ", "label ", "answer: ", "(A) ", "{", "[", "<think>", "\n", " "]
_QUERY = Query("Who is Aa?", question="Who is Aa?", search_query="Who is Aa?", max_tokens=50)


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


@pytest.mark.parametrize("fragment", _FRAGMENTS)
@pytest.mark.parametrize(
    ("length", "most"), [(10_000, _HANGS), pytest.param(200_000, _SECONDS, marks=pytest.mark.slow)]
)
def test_no_prediction_hangs_a_scorer(fragment: str, length: int, most: float) -> None:
    text = fragment * (length // len(fragment))
    titles = Catalogue({"<http://dbpedia.org/resource/Water_(1985_film)>": 1})
    families = {source.family: source.name for source in SOURCES}
    for family, name in families.items():
        score = partial(mabench.score_answer, name, text, ["1"], "What?", titles)
        assert _seconds(score) < most, family


@pytest.mark.parametrize("fragment", _FRAGMENTS)
@pytest.mark.parametrize(
    ("length", "most"),
    [(50_000, _HANGS), pytest.param(1_000_000, _SECONDS, marks=pytest.mark.slow)],
)
def test_no_reply_hangs_a_judge(fragment: str, length: int, most: float) -> None:
    text = fragment * (length // len(fragment))
    assert _seconds(lambda: (yes_or_no(text), counts(text, ("found",)))) < most


@pytest.mark.parametrize("fragment", ["1. ", "Aa ", "٣ "])
@pytest.mark.parametrize(
    ("length", "most"), [(20_000, _HANGS), pytest.param(60_000, _SECONDS, marks=pytest.mark.slow)]
)
def test_no_history_hangs_an_agent(fragment: str, length: int, most: float) -> None:
    text = fragment * (length // len(fragment))

    def floor() -> None:
        agent = FloorAgent()
        agent.memorize(text)
        agent.answer(_QUERY)

    def bm25() -> None:
        memory = BM25Memory()
        memory.add(text)
        SkillReader().read(_QUERY, memory.search("Aa", 10))

    assert _seconds(floor) < most
    assert _seconds(bm25) < most


_READERS: dict[str, Callable[[str], object]] = {
    "sentences": split_sentences,
    "options": parse_options,
    "tokens": estimate_tokens,
    "secrets": redact,
    "screen": printable,
    "structured chunks": lambda text: pack_units([text], 512),
    **{
        f"units of {one.name}": one.units
        for one in map(family_of, {source.family: source.name for source in SOURCES}.values())
    },
}


@pytest.mark.parametrize("fragment", [*_FRAGMENTS, "'", "[{'", "Document 1:\n", "a.", "token="])
@pytest.mark.parametrize(
    ("length", "most"), [(30_000, _HANGS), pytest.param(300_000, _SECONDS, marks=pytest.mark.slow)]
)
def test_no_text_hangs_a_reader(fragment: str, length: int, most: float) -> None:
    text = fragment * (length // len(fragment))
    seconds = {name: _seconds(partial(read, text)) for name, read in _READERS.items()}
    assert {name: took for name, took in seconds.items() if took > most} == {}
