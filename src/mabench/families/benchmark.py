"""The eight families of MemoryAgentBench; ``longmemeval`` and ``factconsolidation`` stand apart.

What a paragraph says first stands in the reference, too.

``ruler``: questions about single documents (qa1) or several (qa2). Every document is a paragraph
under a heading of its own; each question has several golds.

``eventqa``: after some events of a novel, which of six events comes next? The question carries the
events so far, the options as a list literal and the task; the gold is one of the options.

``icl``: thousands of labelled texts, then a text to label. The context is a list of demonstrations,
a text and its numeric label each; the gold is the bare number.

``recsys``: dialogues about films, then a dialogue to answer with suggestions. They are ReDial's.
Golds are entity ids; a prediction is a numbered list of titles. Scoring takes the data set's entity
file.

``infbench``: write a summary of a whole novel. The question of InfiniteBench gives the task and two
worked examples. The paper scores the summary by a language model's verdicts on fluency, key points
and supported sentences; the text metrics stand beside.

``detective``: four-option questions about a detective novel. The question of DetectiveQA carries a
worked example before the question proper. Golds name letter and text, such as ``C. The gardener``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Mapping

from mabench import scoring
from mabench.data import Problem, Row, RowContent
from mabench.data.records import Record, describe, one_line
from mabench.families import factconsolidation, longmemeval
from mabench.families.family import (
    AuditCheck,
    Family,
    JudgePrompt,
    JudgingInput,
    Rubric,
    ScoringInput,
    Verdict,
    budgets,
    by_rule,
)
from mabench.families.parts import (
    CANDIDATES_CONTRADICT,
    GOLD_ABSENT,
    VERDICTS,
    needs_metadata,
    paragraphs,
    read_prompts,
    split_after,
    split_before,
)
from mabench.scoring.judge_replies import counts, flag, summary_score
from mabench.scoring.tokens import spelling
from mabench.text import options_in

_DOCUMENT = re.compile(r"^Document \d+:", re.MULTILINE)

_RULER = Family(
    name="ruler",
    prompts=read_prompts("ruler"),
    units=lambda context: split_before(_DOCUMENT, context),
    budgets=budgets(paper=(512, 50), repository=(4096, 50)),
    metric="substring_exact_match",
    corrected=by_rule("substring_exact_match", scoring.correct_answer),
    no_form=("no-answer", "no-verdict"),
    # Whether two things agree is concluded from passages, and stands in none.
    gold_in_text=lambda answers: not set(map(scoring.normalize, answers)) <= VERDICTS,
    audit_checks=(GOLD_ABSENT, CANDIDATES_CONTRADICT),
)


def _golds_are_options(
    record: Record, content: RowContent, _: Container[int] | None
) -> Iterator[Problem]:
    """Check that every question lists options and that its golds are among them."""
    for i, (question, golds) in enumerate(zip(content.questions, content.answers, strict=True)):
        count = len(options_in(question))
        if not count:
            yield record.warning(f"questions[{i}]", "no options", "a question that lists options")
            continue
        offered = _offered(question, _without_space)
        for j, gold in enumerate(golds):
            if _without_space(gold) not in offered:
                expected = f"one of the {count} options of questions[{i}]"
                yield record.warning(f"answers[{i}][{j}]", describe(gold), expected)


def _offered(question: str, key: Callable[[str], object]) -> set[object]:
    """Return the options of a question; public golds name the letter, too."""
    options = options_in(question)
    return {key(said) for o in options for said in (o.text, f"{o.letter}. {o.text}")}


def _without_space(text: str) -> str:
    return "".join(text.split())  # Golds do not always have a space behind the letter.


def _gold_not_offered(row: Row, catalogue: scoring.Catalogue | None) -> Iterator[tuple[int, str]]:
    """A gold that is not among the options of the question, or a question without options."""
    for index, (question, answers) in enumerate(zip(row.questions, row.answers, strict=True)):
        if _offered(question, spelling).isdisjoint(map(spelling, answers)):
            count = len(options_in(question))
            yield index, f"none of {answers!r} is among the {count} options"


_GOLD_NOT_OFFERED = AuditCheck("gold-not-offered", _gold_not_offered)

_EVENTQA = Family(
    name="eventqa",
    prompts=read_prompts("eventqa"),
    units=paragraphs,
    budgets=budgets(paper=(4096, 40), repository=(4096, 40)),
    metric="substring_exact_match",
    official=lambda case: {
        **scoring.parsed_only(case.prediction, case.answers),
        "eventqa_recall": scoring.eventqa_recall(case.prediction, case.answers),
    },
    corrected=by_rule("substring_exact_match", scoring.correct_choice),
    no_form=("no-answer", "no-option"),
    row_checks=(_golds_are_options,),
    repeated_ids=None,  # They restart in every row.
    audit_checks=(_GOLD_NOT_OFFERED,),
)

_DETECTIVE = Family(
    name="detective",
    prompts=read_prompts("detective"),
    units=paragraphs,
    budgets=budgets(paper=(4096, 500), repository=(4096, 2000)),
    metric="exact_match",
    corrected=by_rule("exact_match", scoring.correct_choice),
    no_form=("no-answer", "no-option"),
    row_checks=(_golds_are_options,),
    audit_checks=(_GOLD_NOT_OFFERED,),
)

_DEMONSTRATION_END = re.compile(r"^label: .*\n{2,}", re.MULTILINE)
_LABEL = re.compile(r"^label: (.*)$", re.MULTILINE)


def _text_shown(row: Row, catalogue: scoring.Catalogue | None) -> Iterator[tuple[int, str]]:
    """A text to label that is already among the labelled examples."""
    labels: dict[str, set[str]] = defaultdict(set)
    end = 0
    for label in _LABEL.finditer(row.context):
        labels[one_line(row.context[end : label.start()].casefold())].add(label[1].strip())
        end = label.end()
    for index, question in enumerate(row.questions):
        shown = labels.get(one_line(question.casefold()))
        if shown:
            yield index, f"shown with label {', '.join(sorted(shown))}"


_ICL = Family(
    name="icl",
    prompts=read_prompts("icl"),
    units=lambda context: split_after(_DEMONSTRATION_END, context),
    budgets=budgets(paper=(4096, 20), repository=(4096, 20)),
    metric="exact_match",
    official=lambda case: scoring.parsed_only(case.prediction, case.answers),
    corrected=by_rule("exact_match", scoring.correct_label),
    no_form=("no-answer", "no-label"),
    audit_checks=(AuditCheck("text-shown", _text_shown),),
)


_DIALOGUE = re.compile(r"^Dialogue \d+:", re.MULTILINE)


def _ideal(case: ScoringInput) -> str:
    if case.catalogue is None:
        return ""
    titles = case.catalogue.titles(case.answers)
    listed = "\n".join(f"{number}. {title}" for number, title in enumerate(titles, start=1))
    # The published parser cuts at the first "1." and then drops digits that open the line: a
    # second number saves the first title's own, as in "21 Jump Street".
    return f"1. {listed}" if titles and titles[0][:1].isdigit() else listed


def _golds_are_entities(
    record: Record, content: RowContent, entity_ids: Container[int] | None
) -> Iterator[Problem]:
    for i, golds in enumerate(content.answers):
        for j, gold in enumerate(golds):
            field = f"answers[{i}][{j}]"
            if not re.fullmatch(r"[0-9]{1,18}", gold):
                yield record.error(field, describe(gold), "an entity id in digits")
            elif entity_ids is not None and int(gold) not in entity_ids:
                yield record.error(field, describe(gold), "an id that entity2id.json knows")


def _entity_unknown(row: Row, catalogue: scoring.Catalogue | None) -> Iterator[tuple[int, str]]:
    """A gold id that is not in the entity file; checked only if there is that file."""
    for index, answers in enumerate(row.answers):
        unknown = [one for one in answers if catalogue and catalogue.entity(one) is None]
        if unknown:
            yield index, f"no entity has an id {', '.join(unknown)}"


def _gold_already_named(row: Row, catalogue: scoring.Catalogue | None) -> Iterator[tuple[int, str]]:
    """A gold item that the conversation names already.

    A title of one word counts only with its year behind it.
    """
    for index, (asked, answers) in enumerate(zip(row.questions, row.answers, strict=True)):
        for title in catalogue.titles(answers) if catalogue else ():
            # "It" opens many a sentence in which no film is meant.
            year = "" if " " in title else r" \(\d{4}\)"
            if re.search(rf"(?<!\w){re.escape(title)}(?!\w){year}", asked):
                yield index, f"{title!r} is named in the conversation"
                break


_RECSYS = Family(
    name="recsys",
    prompts=read_prompts("recsys"),
    units=lambda context: split_before(_DIALOGUE, context),
    budgets=budgets(paper=(4096, 300), repository=(4096, 300)),
    metric="recsys_recall@5",
    official=lambda case: (
        scoring.recommendation_recall(case.prediction, case.answers, case.catalogue)
        if case.catalogue
        else {}
    ),
    corrected=lambda case: (
        scoring.correct_recommendation(case.prediction, case.answers, case.catalogue)
        if case.catalogue
        else {}
    ),
    ideal=_ideal,
    no_form=("no-answer", "no-title"),
    needs_entities=True,
    row_checks=(_golds_are_entities,),
    audit_checks=(
        AuditCheck("entity-unknown", _entity_unknown),
        AuditCheck("gold-already-named", _gold_already_named),
    ),
)


def _prompts_for(case: JudgingInput) -> list[JudgePrompt]:
    points = case.keypoints
    if not points:
        return []
    numbered = "\n".join(f"{number}. {point}" for number, point in enumerate(points, start=1))
    summary = {"prediction": case.prediction}
    with_points = {**summary, "keypoints": numbered}
    sentences = {**summary, "answer": case.answers[0]}
    shown = [case.prediction, case.answers[0], *points]

    # The second name of each number is that of the published judge's replies.
    def read_fluency(reply: str) -> Verdict | None:
        fluent = flag(reply, ("fluent", "fluency"), shown)
        return None if fluent is None else {"fluent": fluent}

    def read_points(reply: str) -> Verdict | None:
        numbers, most = counts(reply, ("found", "recall"), shown=shown), len(points)
        return {"found": min(numbers[0], most), "keypoints": most} if numbers else None

    def read_sentences(reply: str) -> Verdict | None:
        names = ("supported", "precision"), ("sentences", "sentence_count")
        numbers = counts(reply, *names, shown=shown)
        return {"supported": min(numbers), "sentences": numbers[1]} if numbers else None

    return [
        JudgePrompt("judge_fluency", summary, read_fluency),
        JudgePrompt("judge_keypoints", with_points, read_points),
        JudgePrompt("judge_sentences", sentences, read_sentences),
    ]


_INFBENCH = Family(
    name="infbench",
    prompts=read_prompts("infbench"),
    units=paragraphs,
    budgets=budgets(paper=(4096, 1200), repository=(4096, 1200)),
    metric="judge_f1",
    rubric=Rubric(
        templates=read_prompts("infbench.judges"),
        prompts_for=_prompts_for,
        value=lambda verdict: summary_score(**verdict),
        compared="fluent",
    ),
    row_checks=(needs_metadata("infbench", "keypoints"),),
    repeated_ids="warning",  # Whether they restart in every row is not documented.
)

FAMILIES: Mapping[str, Family] = {
    family.name: family
    for family in (
        *(_RULER, longmemeval.FAMILY, _EVENTQA, _ICL, _RECSYS),
        *(_INFBENCH, _DETECTIVE, factconsolidation.FAMILY),
    )
}
