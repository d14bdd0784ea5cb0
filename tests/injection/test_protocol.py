import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.data.inventory import SOURCES
from mabench.errors import UsageError
from mabench.families import Budget, family_of
from mabench.injection import PROTOCOLS, _structured_chunks, protocol_named
from mabench.text import estimate_tokens
from tests.talks import talk


@pytest.mark.parametrize(
    ("protocol", "source", "chunk", "answer"),
    [
        ("paper", "ruler_qa1_197K", 512, 50),
        ("paper", "longmemeval_s*", 512, 100),
        ("paper", "eventqa_full", 4096, 40),
        ("paper", "icl_banking77_5900shot_balance", 4096, 20),
        ("paper", "recsys_redial_full", 4096, 300),
        ("paper", "infbench_sum_eng_shots2", 4096, 1200),
        ("paper", "detective_qa", 4096, 500),
        ("paper", "factconsolidation_mh_262k", 512, 10),
        ("repository", "ruler_qa2_421K", 4096, 50),
        ("repository", "longmemeval_s*", 4096, 50),
        ("repository", "detective_qa", 4096, 2000),
        ("repository", "factconsolidation_sh_6k", 4096, 10),
    ],
)
def test_sizes_are_the_benchmarks(protocol: str, source: str, chunk: int, answer: int) -> None:
    assert protocol_named(protocol).budget(family_of(source)) == Budget(chunk, answer)


def test_every_protocol_knows_every_source_and_an_unknown_one_is_named() -> None:
    for protocol in PROTOCOLS.values():
        assert all(min(protocol.budget(family_of(source))) > 0 for source in SOURCES)
    with pytest.raises(UsageError, match="unknown protocol 'papre': did you mean paper"):
        protocol_named("papre")


_TURN = st.lists(
    st.tuples(st.sampled_from(["role", "content"]), st.text() | st.just("'has_answer': True"))
    | st.tuples(st.just("has_answer"), st.sampled_from([True, False, None])),
    max_size=3,
).map(dict)


@given(st.lists(st.text() | st.just("has_answer") | st.lists(_TURN, max_size=3), max_size=4))
def test_no_turn_is_marked_as_evidence(sessions: list[str | list[dict[str, object]]]) -> None:
    """What is said stays, even of marks; only the keys of turns go."""
    leak = family_of("longmemeval_s*").leak
    assert leak
    plain: list[object] = []
    for session in sessions:
        turns = [] if isinstance(session, str) else session
        bare = [{name: turn[name] for name in turn if name != "has_answer"} for turn in turns]
        plain.append(session if isinstance(session, str) else bare)
    assert ast.literal_eval(leak.remove(str(sessions))) == plain
    assert leak.remove(str(plain)) == str(plain)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_only_published_protocols_tell_where_answers_are(protocol: str) -> None:
    marked = protocol in ("paper", "repository")
    turn = {"role": "user", "content": "I moved to Bern.", "has_answer": True}
    context = str(["Chat Time: 2022/11/17 (Thu) 12:04", [turn, {**turn, "has_answer": False}]])
    family = family_of("longmemeval_s*")
    cutting = protocol_named(protocol)
    row = talk([{"text": "x"}], [("Where?", "Bern")])
    row = row.model_copy(update={"context": context, "turns": None})
    text = "".join(piece.text for piece in cutting.script(family, row).pieces)
    assert ("has_answer" in text) == marked
    assert text.count("I moved to Bern.") == 2
    assert cutting.leaks == marked
    published = protocol.removesuffix("-unmarked").replace("turns", "structured")
    assert cutting.budget(family) == protocol_named(published).budget(family)
    assert cutting.published == (published != "structured")


def _solid(text: str) -> str:
    return "".join(text.split())


@given(
    st.lists(st.text(alphabet=st.sampled_from("ab. \n\té今,")) | st.text()),
    st.integers(min_value=1, max_value=30),
)
def test_chunks_keep_every_character_but_white_space_and_units_within_the_budget(
    units: list[str], size: int
) -> None:
    chunks = _structured_chunks(units, size)
    assert _solid("".join(chunks)) == _solid("".join(units))
    assert all(chunk.strip() for chunk in chunks)
    for unit in units:
        if estimate_tokens(unit) <= size:
            assert any(unit.strip("\r\n") in chunk for chunk in chunks) or not unit.strip()


_CATS = [f"{number}. Ann owns a cat.\n" for number in range(10)]


@pytest.mark.parametrize(
    ("units", "size", "chunks"),
    [
        (["one\n", "two\n\n", "three\n"], 100, ["one\ntwo\n\nthree"]),
        (_CATS, 24, ["".join(_CATS[n : n + 3]).strip() for n in range(0, 10, 3)]),
        # What is over the budget is cut at sentence ends, then between words, then within one.
        (
            ["One two three. Four five six. Seven eight nine."],
            5,
            ["One two three.", "Four five six.", "Seven eight nine."],
        ),
        (["alpha beta gamma delta"], 2, ["alpha beta", "gamma delta"]),
        (["今" * 100], 10, ["今" * 10] * 10),
    ],
)
def test_whole_units_are_packed_up_to_the_budget(
    units: list[str], size: int, chunks: list[str]
) -> None:
    assert [chunk.strip() for chunk in _structured_chunks(units, size)] == chunks
