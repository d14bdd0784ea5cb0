import ast
import re
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.data.schema import Row
from tests.synthetic.small import small

_SEEDS = st.integers(0, 10**9)
_VOWEL_AFTER_A = re.compile(r"\b[Aa] (?!uni)(?=[aeiou])")
_CONSONANT_AFTER_AN = re.compile(r"\b[Aa]n (?![aeiou]|hour)")


def prose(row: Row) -> Iterator[str]:
    if row.source == "longmemeval_s*":
        for session in ast.literal_eval(row.context)[1::2]:
            yield from (turn["content"] for turn in session)
    else:
        yield from row.context.split("\n")
    for question in row.questions:
        # Not the worked example of detective_qa, which holds JSON, nor a list literal.
        asked = question.rpartition("Now Answer the Question:")[2]
        yield from (line for line in asked.split("\n") if not line.startswith("["))
    yield from (answer for answers in row.answers for answer in answers)
    yield from row.metadata.get("keypoints") or []


def check_paragraph(text: str) -> None:
    """Find slots that were left open, unbalanced quotes, doubled words, wrong articles."""
    found = text.strip()
    assert not set("{}<>") & set(found), text
    assert "  " not in found, text
    assert found.count('"') % 2 == 0, text
    assert not re.search(r"[.?!,:;]{2}(?<!\.\.\.)| [.,?!;:]", found.replace("...", "")), text
    assert not re.search(r"\bthe the\b|\bNone\b|\b(\w{2,}) \1\b", found), text
    assert not _VOWEL_AFTER_A.search(found), text
    assert not _CONSONANT_AFTER_AN.search(found), text
    assert not re.search(r"(?<!\.)[.?!] [a-z]", found), text
    if len(found.split()) > 8 and not found.startswith("["):
        assert re.match(r'[A-Z0-9".]', found), text


# Thousands of paragraphs a seed.
_FEW = settings(max_examples=5, deadline=None)


@given(_SEEDS)
@_FEW
def test_no_paragraph_is_malformed_and_no_gold_is_empty_or_apart(seed: int) -> None:
    for row in small(seed).rows:
        for text in prose(row):
            check_paragraph(text)
        for answers in row.answers:
            for answer in answers:
                bare = re.sub(r"\b(a|an|the)\b|[^\w\s]", " ", answer.lower())
                assert bare.strip(), answers
            extractive = row.source.startswith(("factconsolidation", "ruler"))
            if extractive and answers[0] not in ("yes", "no"):
                assert answers[0].lower() in row.context.lower()
