"""Seconds of CPU that each family takes to score a megabyte of one thing over and over.

Some 300 fragments are repeated, to a megabyte and to the few thousand characters that the corrected
score reads, and scored by both scores through ``mabench.score_answer``. What takes longer than
``--most`` is printed, with the function in which most of the time went.

    python -m benchmarks.megabytes [--most SECONDS] [--length CHARACTERS] [--only FAMILY]
"""

# ruff: noqa: RUF001

from __future__ import annotations

import argparse
import json
import signal
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import mabench
from mabench.data import BY_NAME, Source
from mabench.data.inventory import SOURCES
from mabench.scoring import Catalogue
from mabench_external.beam import FORMAT as BEAM
from mabench_external.locomo import SOURCE as LOCOMO

_SHARED = Path(__file__).resolve().parents[2] / "shared"
_LIMIT = 20  # Seconds after which a score is given up.
_OPTIONS = "What next?\n A. Miss White\n B. Hila Weber\n C. The Brandt couple\n D. No one\n Output:"
_EVENTS = "Below is a list:\n\n['He left the house.', \"She didn't speak.\", 'He left.']\n\nChoose."
_SUMMARY = "Ann moves to Rome and meets Bob, who sells the house. " * 60
_LINES = "Ann moves to Rome.\nBob sells the house.\nThey leave.\n" * 40

# Letters, digits, signs and spaces of many scripts; what Unicode makes longer, or takes apart.
_CHARACTERS = (
    *"aAbzZ019éßıİſøÅñ",
    *" \t\n\r\v\f\x00\x1b\x1c\x85\xa0\u2003\u2028\u3000",
    *"\u200b\u200d\u200e\u200f\u202e\u2060\ufeff\xad",
    *"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    *"«»‘’“”„‹›《》「」…–—−•·°§¶†‡€£¥₹½¼⅓²³₁№™®©←→↔⇒≠≤≥±×÷√∞",
    *"漢字ひらカタ한글ㄱ中。、，：（）",
    *"абвЖЯαβγΩΣςأبتﷺﷻ٣٤۴०१กขक्षা",
    *"ﬁﬂŉǰΐΰẖẗẘẙẚ①⑳㎏㍿㋀㌔㍻",
    *"\u0301\u0308\u0323\u0327\u0345\u0591\u064b\u0e33\u20dd\ufe0f\u1160",
    *"😀👍🏽🇫🇷𝐀𝟎𝕏𠀀\ud800\udc00\U0010ffff\ue000\ufffd\uffff",
)
_PIECES = (
    # Marks of answers, and what opens or closes something.
    *("answer: ", "Answer:", "answer is ", "the answer is ", "Final answer: ", "label: ", "label "),
    *("option 2 ", "(A) ", "A. ", "A) ", "**A**", "**", "__", "~~", "~~a", "```", "```json\n"),
    *("\\boxed{", "\\boxed{1} ", "\\text{", "\\frac{1}{2} ", "\\(", "\\[a\\]", "$$", "$a$ ", "\\ "),
    *("<think>", "</think>", "<think></think>", "<answer>", "</answer>", "<answer>a</answer>"),
    *("[THINK]", "◁think▷", "<|channel|>", "<|", "|>", "<b>", "</b>", "<a", "&amp;", "<!--"),
    *('{"', '{"answer": ', '{"a": {"a": ', '{"answer": "a"} ', '["a", ', "[[", "]]", "{}", "[]"),
    *("{'a': ", "'a', ", '""', "''", "\\n", '\\"', "\\u0041", "%41", "| a |\n", "|---|\n", "---\n"),
    # Words, sentences, lists and numbers.
    *(
        "a ",
        "I ",
        "aa ",
        "Aa ",
        "a\n",
        "A\n",
        "\n\n",
        " \n",
        "\r\n",
        "a. ",
        "A. B. ",
        "Mr. ",
        "a.b ",
    ),
    *(
        "1. ",
        "1.\n",
        "1) ",
        "- a\n",
        "* a\n",
        "1,000,",
        "1,000 ",
        "1.5",
        "1/2 ",
        "1-",
        "5-6 ",
        "$5 ",
    ),
    *("10% ", "2024-05-03 ", "3 May 2024, ", "10:30 ", "May ", "yesterday ", "one ", "twenty-one "),
    *("hundred ", "three and a half ", "IV ", "II. ", "no ", "yes ", "not ", "No, ", "no. Yes. "),
    *(
        "not Rome. ",
        "Rome ",
        "Rome, ",
        "Rome. ",
        "Rome or ",
        "Rome and ",
        "Rome or Paris, ",
        "Paris ",
    ),
    *(
        "Rome is not ",
        "not in Rome but ",
        "Rome? ",
        "'Rome' ",
        "(Rome) ",
        "Rome; ",
        "Rome's ",
        "Rome\n",
    ),
    *("Who is Ann? ", "Ann ", "Ann or Bob ", "Ann's ", "the brother of ", "of the ", "and ", "or "),
    *(
        "but ",
        "because ",
        "however, ",
        "so, ",
        "I do not know. ",
        "do not know ",
        "maybe ",
        "I think ",
    ),
    *("mentioned ", "not mentioned ", "none ", "nothing ", "neither Rome nor ", "unless ", "if "),
    *(
        "He left. ",
        "He left the house. ",
        "C ",
        "C or ",
        "The Brandt couple ",
        "Miss White ",
        "Miss ",
    ),
    *(
        "Heat ",
        "Heat\n",
        "Heat and ",
        "Heat (1995), ",
        "1. Heat\n",
        "1985 ",
        "The Matrix\n",
        "a (b) ",
    ),
    *(
        "((",
        "(a",
        "a) ",
        "() ",
        ", ",
        ". ",
        "; ",
        ": ",
        "? ",
        "! ",
        "...",
        "a-",
        "-a ",
        "a-b-",
        "--",
    ),
    *(
        "a_",
        "a'",
        "'a",
        "a/b ",
        "http://a.b/",
        "a@b.c ",
        "#a ",
        "C# ",
        "C++ ",
        "AB+ ",
        "é ",
        "e\u0301",
    ),
    *("ab ba ", "Rome Paris ", "a b c d e ", "word another thing ", "1 2 3 4 ", "a1", "1a ", "aA"),
    *(
        "İ ",
        "ﷺ ",
        "ﷺ\n",
        "漢 ",
        "漢字。",
        "한글 ",
        "أب ",
        "\ud83d\ude00",
        "\u200ba",
        "\u202ea ",
        "a\u0301 ",
    ),
    *(
        "running ",
        "generalizations ",
        "sses",
        "ational",
        "eed ",
        "y",
        "yyyyy ",
        "ing",
        "as far as ",
    ),
    *(
        "likely ",
        "probably ",
        "My answer ",
        "The user said Rome. ",
        "Question: ",
        "Q: a\nA: b\n",
        "> a\n",
    ),
)
FRAGMENTS = tuple(dict.fromkeys((*_CHARACTERS, *_PIECES)))


class Case(NamedTuple):
    """What a family is asked to score: a question and its golds."""

    name: str
    source: str | Source
    answers: list[str]
    question: str
    kind: str | None = None


def cases() -> Iterator[Case]:
    """Yield questions of every family, whose golds are a name, a verdict, a number or a text."""
    for name, answers, question in (
        ("ruler", ["Rome"], "Who is Ann, who lives in Rome?"),
        ("ruler", ["no"], "Is it Paris or Rome?"),
        ("ruler", ["three and a half years", "3 May 2024"], "How long, since when?"),
        ("longmemeval", ["Rome, Paris and Oslo"], "Where did Ann live?"),
        ("eventqa", ["He left."], _EVENTS),
        ("icl", ["43"], "What 43?"),
        ("recsys", ["1", "2"], "Here is the conversation: Heat?"),
        ("infbench", [_SUMMARY], "Summarize."),
        ("infbench", [_LINES], "Summarize."),
        ("detective", ["C. The Brandt couple"], _OPTIONS),
        ("factconsolidation", ["Rome"], "Where does Ann live?"),
    ):
        source = next(source for source in SOURCES if source.family == name)
        yield Case(f"{name}:{answers[0][:12]}", source.name, answers, question)
    yield Case("locomo:shares", LOCOMO, ["Rome, Paris, Oslo"], "Where did Ann live?", "multi-hop")
    yield Case("locomo:open", LOCOMO, ["Yes, since she is ill"], "Is Ann ill?", "open-domain")
    yield Case("locomo:none", LOCOMO, ["No information available"], "Why Ann?", "adversarial")
    yield Case("beam:text", BEAM.sources[0], ["Rome and Paris"], "Where?")


class _TooSlowError(Exception):
    pass


def seconds(work: Callable[[], object]) -> tuple[float, str]:
    """Return the seconds of CPU that a call takes, and where most of them went, if many."""
    seen: Counter[str] = Counter()
    start = time.process_time()

    def look(_: int, frame: FrameType | None) -> None:
        while frame is not None and "mabench" not in frame.f_code.co_filename:
            frame = frame.f_back
        if frame is not None:
            seen[f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"] += 1
        if time.process_time() - start > _LIMIT:
            raise _TooSlowError

    signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, 0.05, 0.05)
    try:
        work()
    except _TooSlowError:
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return time.process_time() - start, ", ".join(f"{p} {n}" for p, n in seen.most_common(3))


def _text(fragment: str, length: int) -> str:
    return (fragment * (length // len(fragment) + 1))[:length]


def main() -> None:
    """Score every fragment in every family, and print what takes too long and the worst of all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--most", type=float, default=2.0, help="seconds of CPU")
    parser.add_argument("--length", type=int, nargs="*", default=[8_000, 1_000_000])
    parser.add_argument("--only", default="", help="beginning of a family's name")
    parser.add_argument("--entities", type=Path, default=_SHARED / "data/entity2id.json")
    options = parser.parse_args()
    films = {"<http://dbpedia.org/resource/Heat_(1995_film)>": 1}
    if options.entities.is_file():
        films = json.loads(options.entities.read_text(encoding="utf-8"))
    catalogue = Catalogue(films)
    print(f"{len(FRAGMENTS)} fragments, {len(BY_NAME)} sources", flush=True)
    for case in cases():
        if not case.name.startswith(options.only):
            continue
        mabench.score_answer(case.source, "a", case.answers, case.question, catalogue, case.kind)
        worst: dict[int, tuple[float, str]] = {}
        for length in options.length:
            for fragment in FRAGMENTS:
                text = _text(fragment, length)
                took, where = seconds(
                    lambda text=text, case=case: mabench.score_answer(  # type: ignore[misc]
                        case.source, text, case.answers, case.question, catalogue, case.kind
                    )
                )
                worst[length] = max(worst.get(length, (0.0, "")), (took, fragment))
                if took > options.most:
                    found = f"{took:6.2f}  {fragment!r} {unicodedata.name(fragment[0], '?')}"
                    print(f"{case.name:<24}{length:>9}  {found}  {where}", flush=True)
        for length, (took, fragment) in worst.items():
            print(f"{case.name:<24}{length:>9}  worst {took:.2f} {fragment!r}", flush=True)


if __name__ == "__main__":
    main()
