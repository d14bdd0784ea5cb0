import hashlib
import json
from pathlib import Path

import pytest

from mabench.data import open_dataset
from mabench.families import family_of
from mabench.injection import protocol_named

RULER = family_of("ruler_qa1_197K")

pytest.importorskip("tiktoken", reason="the published chunker takes the extra 'paper'")

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


def _texts(real_data: Path) -> dict[str, str]:
    rows = open_dataset(real_data / "mab-dev").rows()
    novel = real_data / "novels" / "sherlock_holmes_1661.txt"
    return {
        **{row.source: row.context for row in rows},
        **EDGES,
        "novel-sherlock-holmes": novel.read_text(encoding="utf-8"),
    }


# Most of the time goes into finding the sentences, which are the same for any length of chunks.
@pytest.mark.parametrize(
    ("chunk_tokens", "longest"),
    [(512, 10**6), (4096, 200_000), pytest.param(4096, 10**6, marks=pytest.mark.slow)],
)
def test_published_chunks_are_reproduced(
    real_data: Path, parity: Path, chunk_tokens: int, longest: int
) -> None:
    texts = _texts(real_data)
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


def test_a_first_sentence_over_the_budget_is_preceded_by_an_empty_chunk() -> None:
    text = "word " * 50 + ". Short one. Another one here."
    chunks = protocol_named("paper").chunks(RULER, text, 20)
    assert [len(chunk) for chunk in chunks] == [0, 251, 28]


def test_line_breaks_between_sentences_become_a_space() -> None:
    chunks = protocol_named("paper").chunks(RULER, "One is here.\n\nTwo is there.")
    assert chunks == ["One is here. Two is there."]


def test_text_that_spells_a_special_token_is_ordinary() -> None:
    text = "The mark <|endoftext|> is text."
    assert protocol_named("paper").chunks(RULER, text) == [text]
