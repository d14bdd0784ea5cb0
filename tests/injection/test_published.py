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


# Most of the time goes into finding the sentences, which are the same for any length of chunks.
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
