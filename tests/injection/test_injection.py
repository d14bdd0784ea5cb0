"""Histories are cut into pieces: by chunks of a protocol, or by turns and sessions."""

import ast
import hashlib
import json
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.data import Row, Source, open_dataset
from mabench.data.inventory import SOURCES
from mabench.data.turns import Message
from mabench.errors import UsageError
from mabench.families import Budget, family_of
from mabench.injection import PROTOCOLS, Script, protocol_named
from mabench.injection.structured_chunks import pack_units
from mabench.text import estimate_tokens
from mabench.text.times import find_times, read_time, write_time
from tests.talks import talk, turns


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
    family, cutting = family_of("longmemeval_s*"), protocol_named(protocol)
    text = "".join(piece.text for piece in cutting.script(family, untold(LITERAL)).pieces)
    assert ("has_answer" in text) == marked
    assert "I moved to 'Bern'." in text
    assert "Hello again." in text
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
    chunks = pack_units(units, size)
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
    assert [chunk.strip() for chunk in pack_units(units, size)] == chunks


RULER = family_of("ruler_qa1_197K")

needs_tokens = pytest.mark.skipif(not find_spec("tiktoken"), reason="it takes the extra 'paper'")
EDGES = {
    "edge-long-first-sentence": "word " * 3000 + ". Short one. Another one here.",
    "edge-no-punctuation": "alpha beta gamma\n" * 2000,
    "edge-abbreviations": (
        "Dr. Smith paid $3.50 to J. R. Ewing at 5 p.m. on Jan. 3rd. "
        '"Did it work?" she asked. He (Mr. Lee, M.D.) left for the U.S. '
        "He returned at No. 10 Downing St. e.g. for tea! See Fig. 2. "
    )
    * 60,
}


# Most of the time goes into finding the sentences, which are the same for any length of chunks.
@needs_tokens
@pytest.mark.parametrize(
    ("chunk_tokens", "longest"),
    [(512, 10**6), (4096, 200_000), pytest.param(4096, 10**6, marks=pytest.mark.slow)],
)
def test_published_chunks_are_reproduced(
    real_data: Path, parity: Path, chunk_tokens: int, longest: int
) -> None:
    texts = {row.source: row.context for row in open_dataset(real_data / "mab-dev").rows()}
    novel = real_data / "novels" / "sherlock_holmes_1661.txt"
    texts |= {**EDGES, "novel-sherlock-holmes": novel.read_text(encoding="utf-8")}
    paper = protocol_named("paper")
    lines = (parity / "official_chunks.jsonl").read_text(encoding="utf-8").splitlines()
    held = [line for line in map(json.loads, lines) if line["chunk_tokens"] == chunk_tokens]
    assert len(held) == 12
    for line in held:
        context = texts[line["text"]]
        if len(context) > longest:
            continue
        chunks = paper.chunks(RULER, context, chunk_tokens)
        digests = [hashlib.sha256(chunk.encode()).hexdigest()[:16] for chunk in chunks]
        assert len(context) == line["chars"]
        assert ([len(chunk) for chunk in chunks], digests) == (line["lengths"], line["sha256"])


@needs_tokens
@pytest.mark.parametrize(
    ("text", "size", "chunks"),
    [
        # An empty chunk precedes a first sentence over the budget.
        (
            "word " * 50 + ". Short one. Another one here.",
            20,
            ["", "word " * 50 + ".", "Short one. Another one here."],
        ),
        ("One is here.\n\nTwo is there.", None, ["One is here. Two is there."]),
        # What spells a special token is ordinary text.
        ("The mark <|endoftext|> is text.", None, ["The mark <|endoftext|> is text."]),
    ],
)
def test_the_quirks_of_the_published_chunker_are_kept(
    text: str, size: int | None, chunks: list[str]
) -> None:
    assert protocol_named("paper").chunks(RULER, text, size) == chunks


FIELDS = ("time", "speaker", "role", "session", "user")
KEYED: Any = {"evidence": [["t0"]], "metadata": {"question_types": ["key-type"]}}


def told(row: Row, native: Any = (), unit: str = "turn", protocol: str = "turns") -> Script:
    family = family_of(Source("talk", "Own", "answer"))
    return protocol_named(protocol).script(family, row, native=native, unit=unit)


def texts(row: Row, native: Any = (), unit: str = "turn") -> list[str]:
    return [piece.text for piece in told(row, native, unit).pieces]


_TOLD, _CHAT = "[1:56 pm on 8 May, 2023] Ida: ", "Chat Time: 2023/05/08 (Mon) 13:56\nIda: "
_NOTES, _MAY = "## Notes of 2023-05-08, Ida\n", "May-08-2023 (Ida, who was there on 2022-01-01): "
HEADINGS = [
    (_TOLD, "", "[1:56 pm on 8 May, 2023] Ida: "),
    (_TOLD, "time", "Ida: "),
    (_TOLD, "speaker", "[1:56 pm on 8 May, 2023] "),
    (_TOLD, "time speaker", ""),
    (_CHAT, "time", "Ida: "),
    (_CHAT, "speaker", "Chat Time: 2023/05/08 (Mon) 13:56\n"),
    (_CHAT, "time speaker role", ""),
    (_NOTES, "time", "## Notes of , Ida\n"),
    (_NOTES, "speaker", "## Notes of 2023-05-08, \n"),
    (_MAY, "time", "(Ida, who was there on 2022-01-01): "),
]


def test_what_a_memory_takes_is_left_out_of_the_heading_and_nothing_else() -> None:
    message = {"text": "Hello.", "time": "2023-05-08T13:56:00+00:00", "speaker": "Ida"}
    for heading, native, left in HEADINGS:
        row = talk([message], [("Who?", "Ida")], [heading])
        assert texts(row, native.split()) == [f"{left}Hello."]
    row = talk(turns(["One."]), [("Who?", "Amal")])  # What no heading says stands before the text.
    assert texts(row) == ["[1 May 2024, 10:00, house-7] Amal, user: One."]
    assert texts(row, ("time", "role")) == ["[house-7] Amal: One."]
    assert texts(row, FIELDS) == ["One."]


def words(name: str, value: str) -> str:
    return write_time(datetime.fromisoformat(value)) if name == "time" else value


messages = st.lists(
    st.fixed_dictionaries(
        {"text": st.sampled_from(["Yes.", "I saw a heron.", "K417", "No: it is late"])},
        optional={
            "speaker": st.sampled_from(["Amal", "Bea Roth"]),
            "role": st.sampled_from(["asker", "helper"]),
            "session": st.sampled_from(["first", "second"]),
            "user": st.sampled_from(["house-7", "house-8"]),
        },
    ),
    min_size=1,
    max_size=6,
)


@settings(deadline=None, max_examples=150)
@given(
    said=messages,
    timed=st.booleans(),
    titled=st.booleans(),
    native=st.sets(st.sampled_from(FIELDS)),
)
def test_what_is_passed_equals_the_data_and_the_rest_is_told_once(
    said: list[dict[str, str]], timed: bool, titled: bool, native: set[str]
) -> None:
    if timed:
        said = [
            {**one, "time": f"2024-05-0{day}T09:30:00+02:00"} for day, one in enumerate(said, 1)
        ]
    headings = [
        "".join(f"{words(name, one[name])}, " for name in FIELDS if name in one) for one in said
    ]
    row = talk(said, [("Key question?", "key-gold")], headings if titled else None, **KEYED)
    history = told(row, native)
    assert len(history.pieces) == len(said)
    for one, piece in zip(said, history.pieces, strict=True):
        data: dict[str, Any] = {"session": "s", **one}
        if timed:
            data["time"] = datetime.fromisoformat(one["time"])
        assert piece.fields == {name: data[name] for name in native if name in data}
        assert piece.text.endswith(one["text"])
        for name in {*one} - {"text", "session"}:
            told_once = 0 if name in native else 1
            assert piece.text.count(words(name, one[name])) == told_once, (name, piece.text)
        assert ("+0200" in piece.text) == (timed and "time" not in native)
        everything = f"{piece.text} {piece.fields}"
        assert not any(key in everything for key in ("key-", "t0", "Key question"))


def test_sessions_are_told_whole_with_what_their_turns_share() -> None:
    said = turns(["One.", "Two.", "Three."])
    said[1] |= {"session": "day 1", "time": said[0]["time"]}
    row = talk(said, [("Who?", "Amal")])
    first, second = told(row, FIELDS, "session").pieces
    assert first.text == "Amal, user: One.\nBea, assistant: Two."
    shared = {"time": datetime(2024, 5, 1, 10, tzinfo=UTC), "session": "day 1", "user": "house-7"}
    assert first.fields == shared
    assert (first.turns, second.turns) == (("t0", "t1"), ("t2",))
    assert second.fields["speaker"] == "Amal"
    said[1]["time"] = "2024-05-01T11:00:00+00:00"  # What differs stays with its turn.
    (first, _) = told(talk(said, [("Who?", "Amal")]), ("time",), "session").pieces
    assert first.text.splitlines() == [
        "[house-7] Amal, user: One.",
        "[1 May 2024, 11:00] Bea, assistant: Two.",
    ]


LITERAL = str(
    [
        "Chat Time: 2022/11/17 (Thu) 12:04",
        [
            {"role": "user", "content": "I moved to 'Bern'.", "has_answer": True},
            {"role": "assistant", "content": "Nice.", "has_answer": None},
        ],
        "Chat Time: 2023/01/02 (Mon) 08:00",
        [{"role": "user", "content": "Hello again.", "has_answer": False}],
    ]
)


def untold(context: str) -> Row:
    """Return a row with nothing but a text."""
    row = talk([{"text": "x"}], [("Where?", "Bern")])
    return row.model_copy(update={"context": context, "turns": None})


def test_a_literal_of_sessions_is_a_conversation_without_its_marks_and_no_other_is() -> None:
    row = untold(LITERAL)
    assert texts(row)[0] == "Chat Time: 2022/11/17 (Thu) 12:04\nuser: I moved to 'Bern'."
    pieces = told(row, FIELDS).pieces
    assert [piece.text for piece in pieces] == ["I moved to 'Bern'.", "Nice.", "Hello again."]
    moment = datetime(2023, 1, 2, 8, tzinfo=UTC)
    assert pieces[2].fields == {"time": moment, "role": "user", "session": "session_2"}
    assert len(told(row, ("time",), "session").pieces) == 2
    assert not any("has_answer" in text for text in texts(row))
    for context in ("Only text.", LITERAL[:-3], "['Chat Time: x', 3]", "['Chat Time: x']", "[[["):
        assert Message.of_row(untold(context)) is None
        history = told(untold(context), FIELDS)
        assert history == told(untold(context), protocol="structured")
        assert not history.by_turn


@pytest.mark.parametrize("protocol", ["turns", "structured"])
def test_a_history_is_cut_where_it_is_asked_in_between(protocol: str) -> None:
    points = ["t1", None, "2024-05-03", "2024-04-01", "2024-05-01T10:00Z"]
    row = talk(turns(), [("Which?", "K417")] * len(points), asked_after=points)
    history = told(row, protocol=protocol)
    for point, known in zip(history.points, (2, 4, 3, 0, 1), strict=True):
        told_so_far = " ".join(piece.text for piece in history.pieces[:point])
        heard = [one["text"] in told_so_far for one in turns()]
        assert heard == [True] * known + [False] * (4 - known)


def test_times_are_read_in_the_forms_of_the_data_sets_and_no_others() -> None:
    moment = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    for text in ("2023/05/08 (Mon) 13:56", "1:56 pm on 8 May, 2023", "2023-05-08T15:56+02:00"):
        assert read_time(text) == moment
    assert read_time("12:05 am on 1 February, 2023") == datetime(2023, 2, 1, 0, 5, tzinfo=UTC)
    assert read_time("March-15-2024") == datetime(2024, 3, 15, tzinfo=UTC)
    assert read_time(None) is None
    for text in ("batch 1", "31 June 2023", "2023-13-01", "May-2023", ""):
        assert read_time(text) is None
    assert [*find_times("call 555-2023-01-01x and 12023/05/08")] == []
