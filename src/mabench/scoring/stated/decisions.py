"""The decisions on which value a text chooses, in the order in which they are asked.

Each is one idea: a pattern over signs, or a question asked of the line. The first that chooses or
leaves open ends the reading; those that take values back, or set them aside, only clear the way.
A decision finds the places of the values that it concerns in a line of signs: an empty list where
it concerns none, and None where it does not apply. A clause is a part of the line that
states values, and its focus is how far it takes up the question (``line``).

Every decision has an example that it decides and a near miss that it does not, for the gold Rome
and the question "In which city was Ann Hale born?". They are its tests and its entry in the
reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from mabench.scoring.stated.line import (
    ASKING,
    BARE_VALUE,
    ON_TOPIC,
    Clause,
    SignLine,
    places_of,
)
from mabench.scoring.stated.signs import Sign, signs


class Effect(Enum):
    """What a decision does with the values that it finds."""

    DENIES = "takes back"
    PASSES = "takes back as out of date"
    SETS_ASIDE = "sets aside"
    CHOOSES = "chooses"
    LEAVES_OPEN = "finds no choice"
    DOUBTS = "cannot tell"


Find = Callable[[SignLine], list[int] | None]


@dataclass(frozen=True)
class Decision:
    """A decision: its name, what it means, what it does, how it is found, and two examples."""

    name: str
    meaning: str
    effect: Effect
    # Returns the places of the values; an empty list where it concerns none, None if it does not
    # apply.
    find: Find
    example: str
    near_miss: str


def _matches(patterns: Sequence[re.Pattern[str]], line: SignLine) -> Iterator[re.Match[str]]:
    """Return the matches of patterns in a line, one pattern after the other."""
    return (match for pattern in patterns for match in pattern.finditer(line.signs))


def _anywhere(*patterns: str) -> tuple[re.Pattern[str], ...]:
    """Return patterns that find every match, also those that overlap another."""
    return tuple(signs(f"(?= {pattern} )") for pattern in patterns)


_OPEN_AFTER = signs("UNDECIDED | CLASH | BOTH")
_CHOSEN_SIGNS = (Sign.GOLD, Sign.RIVAL, Sign.GOLD_AGAIN, Sign.RIVAL_AGAIN, Sign.PAST)


@dataclass(frozen=True)
class _Every:
    """Finds the values in the group ``value`` of every match of some patterns."""

    patterns: tuple[re.Pattern[str], ...]

    def __call__(self, line: SignLine) -> list[int] | None:
        found = set[int]()
        for match in _matches(self.patterns, line):
            found.update(places_of(match, "value", (Sign.GOLD, Sign.RIVAL)))
        return sorted(found) or None


@dataclass(frozen=True)
class _Latest:
    """Finds the value of the last match, if the gold is said and nothing is left open behind it."""

    patterns: tuple[re.Pattern[str], ...]

    def __call__(self, line: SignLine) -> list[int] | None:
        matches = [*_matches(self.patterns, line)]
        if not matches:
            return None
        last = max(matches, key=lambda match: match.start("value"))
        place = last.start("value")
        if _OPEN_AFTER.search(line.signs, place) or not line.has(Sign.GOLD, Sign.PAST):
            return None
        return places_of(last, "value", _CHOSEN_SIGNS)[:1]


def _all(*patterns: str) -> Find:
    """Return what finds the values of all matches of some patterns."""
    return _Every(_anywhere(*patterns))


def _last(*patterns: str) -> Find:
    """Return what finds the value of the last match of some patterns."""
    return _Latest(_anywhere(*patterns))


# What several patterns have in common: values side by side, and what may precede one.
_VALUES = "VALUE+ (?: (?: COMMA VALUE )* COMMA? (?: AND | OR ) VALUE )?"
_LEAD = "(?: PLAIN | CITATION | REASON | ALIAS )*"
_GOLD, _ANOTHER = "(?: GOLD | GOLD_AGAIN )", "(?: RIVAL | RIVAL_AGAIN )"
_NO_VALUE = "OTHER_THAN(VALUE|STOP)*"
_NOTHING_CONCLUDED = "OTHER_THAN(CONCLUSION|CORRECTION|GIVES_WAY|OUTLASTS)* FINISH"


def _find_opening_value(line: SignLine) -> list[int] | None:
    """Find a value that is all of the first sentence, if no other is concluded behind it.

    Where the next sentence is a mere value, too, the text is a list and has no opening value.
    """
    match = _ALONE_FIRST.match(line.signs)
    if not match:
        return None
    later = {found[1] for found in _CONCLUDED_LATER.finditer(match["rest"])}
    return None if later - {match["value"]} else [match.start("value")]


_ALONE_FIRST = signs(
    """
    (?: TOPIC | NAME )*
    (?P<value> VALUE ) (?: CITATION | (?P=value) )*
    (?: END+ | DASH (?= QUESTION_WORD ) )
    (?! PLAIN* VALUE (?: VALUE | AND )* CITATION? (?: END | FINISH ) )     # A list of sentences.
    (?P<rest> ANY* )
    """
)
_CONCLUDED_LATER = signs(
    """
    (?: CONCLUSION OTHER_THAN(END)*? | CORRECTION OTHER_THAN(VALUE){0,25} ) (VALUE)
    """
)


def _find_only_gold(line: SignLine) -> list[int] | None:
    """Find the gold if no other value is left, and the text does not say that it cannot choose.

    Nor may it say that values clash, unless others were stated and taken back.
    """
    if line.values() != {Sign.GOLD.value} or line.has(Sign.UNDECIDED):
        return None
    has_taken_back = line.has(Sign.DENIED, Sign.PAST)
    if not has_taken_back and _CLASH.search(line.signs):
        return None
    return [line.signs.index(Sign.GOLD.value)]


_CLASH = signs("CLASH ANY* VALUE | CLASH OTHER_THAN(END)* END* FINISH")


def _find_only_rivals(line: SignLine) -> list[int] | None:
    """Find another value if the gold is not among those that are left.

    A passage, which names many values and may not answer at all, must take one back, or state one
    in its first sentence.
    """
    if line.values() != {Sign.RIVAL.value}:
        return None
    answers = line.has(Sign.DENIED, Sign.PAST) or _states_value_first(line)
    if line.is_passage and not answers:
        return None
    return [line.signs.index(Sign.RIVAL.value)]


def _states_value_first(line: SignLine) -> bool:
    """Return whether the first sentence states a value."""
    start, end = line.sentences[0]
    return bool(line.values(start, end))


def _find_only_past(line: SignLine) -> list[int] | None:
    """Find a value that was so once, if nothing else is said."""
    if line.values() or line.has(Sign.DENIED, Sign.CONCLUSION):
        return None
    places = [place for place, item in enumerate(line.items) if item.sign is Sign.PAST]
    values = {line.items[place].said for place in places}
    return places if len(values) == 1 else None


def _find_indecision(line: SignLine) -> list[int] | None:
    """Find no choice where there are several values, and the text says that it cannot choose."""
    several = len(line.values()) > 1 or line.has(Sign.PAST)
    return [] if several and line.has(Sign.UNDECIDED) else None


def _find_uncited_gold(line: SignLine) -> list[int] | None:
    """Find the gold if all other values are in brackets, or cited."""
    stated = set[str]()  # In clauses that are neither.
    for clause in line.clauses:
        if not clause.is_aside and Sign.CITATION.value not in clause.signs:
            stated |= {*clause.values}
    if stated != {Sign.GOLD.value} or line.has(Sign.CLASH, Sign.BOTH, Sign.UNDECIDED):
        return None
    return [line.signs.index(Sign.GOLD.value)]


def _find_newer(line: SignLine) -> list[int] | None:
    """Find the value that alone is called newer, where there is something to compare it with."""
    found = [*_matches(_CALLED_NEWER, line)]
    called = {match["value"] for match in found}
    if len(called) != 1 or _OPEN_AFTER.search(line.signs, found[0].end()):
        return None
    is_compared = line.has(Sign.CITATION, Sign.GOLD_AGAIN, Sign.RIVAL_AGAIN, Sign.RIVAL)
    return [found[0].start("value")] if is_compared else None


_CALLED_NEWER = _anywhere(
    "(?P<value> VALUE ) (?: CITATION | OPEN | COMMA | WHO | IS ){0,4} NEWER"
    " (?! WORD | (?: PLAIN | COLON )* VALUE )",
    "NEWER (?! WORD ) (?: CITATION | QUESTION_WORD | IS | COLON | COMMA | GIVES_WAY ){0,6}"
    " (?P<value> VALUE )",
)


def _doubt_pair(line: SignLine) -> list[int] | None:
    """Find no value where two names with a comma are all: a city and its country, or two cities."""
    return [] if line.names_gold and _TWO_WITH_COMMA.search(line.signs) else None


_TWO_WITH_COMMA = signs("START VALUE COMMA ALIAS? VALUE END? FINISH")


def _find_plain_list(line: SignLine) -> list[int] | None:
    """Find no choice where the gold and another value are side by side."""
    for match in _SIDE_BY_SIDE.finditer(line.signs):
        if {Sign.GOLD.value, Sign.RIVAL.value} <= {*match["list"]}:
            return []
    return None


_SIDE_BY_SIDE = signs(
    """
    (?= (?P<list>
        VALUE (?: COMMA | CITATION | OPEN CITATION CLOSE )*
            (?: AND IS? CITATION? | OR (?: PLAIN | COLON ){0,3} ) VALUE
        | VALUE CITATION OTHER_THAN(END|SEMICOLON)* VALUE CITATION
        | (?: COLON | OPEN ) VALUE (?: (?: COMMA | SEMICOLON ) VALUE )+ WORD?
            (?: OPEN | CLOSE | END | FINISH )
        | (?: START | (?<= END ) | (?<= COLON ) )
            VALUE OPEN OTHER_THAN(OPEN|CLOSE)* CLOSE (?: END | COMMA | SEMICOLON )?
            VALUE OPEN OTHER_THAN(OPEN|CLOSE)* CLOSE
        | START VALUE (?: COMMA VALUE )+ END? FINISH
        | START VALUE QUESTION_WORD* SEMICOLON VALUE QUESTION_WORD* END? FINISH
    ) )
    """
)


def _find_same_frame(line: SignLine) -> list[int] | None:
    """Find no choice where two clauses say the same of the gold and of another value."""
    stating = [clause for clause in line.clauses if not clause.is_aside]
    for gold in (c for c in stating if Sign.GOLD.value in c.values):
        for other in (c for c in stating if Sign.GOLD.value not in c.values):
            if _is_same_frame(line, gold, other):
                return []
    return None


def _is_same_frame(line: SignLine, gold: Clause, other: Clause) -> bool:
    """Return whether a clause says the same of the gold as another one of another value.

    Clauses that cite something, or that answer the question, need only the words of one of them;
    others must have the same words. Clauses without words are the same if nothing else is said
    between them, and they are not parts of one sentence. One that cites and one that does not are
    never the same, nor are labelled steps to the answer.
    """
    cites, other_cites = (Sign.CITATION.value in clause.signs for clause in (gold, other))
    is_step = line.asks_several_steps and gold.signs[0] == other.signs[0] == Sign.COLON.value
    if is_step or cites is not other_cites:
        return False
    answer = min(gold.focus, other.focus) >= ASKING
    if cites or answer:
        return gold.words <= other.words or other.words <= gold.words
    if gold.words:
        return gold.words == other.words
    between = line.signs[min(gold.end, other.end) : max(gold.start, other.start)]
    is_apart = between not in (Sign.COMMA.value, "") and not _CONTENT_WORD.search(between)
    return not other.words and is_apart


_CONTENT_WORD = signs("QUESTION_WORD | WORD")


def _find_clash(line: SignLine) -> list[int] | None:
    """Find no choice where several values are said to clash or to hold both, or one with others."""
    values = line.values()
    several = len(values) > 1 and line.has(Sign.CLASH, Sign.BOTH)
    return [] if several or (values and _CLASH.search(line.signs)) else None


def _cites_several(line: SignLine) -> bool:
    """Return whether several things are cited, beside those for values that are taken back."""
    return _CITED_FOR_NOTHING.sub("", line.signs).count(Sign.CITATION.value) > 1


_CITED_FOR_NOTHING = signs("(?: DENIED | PAST ) OPEN? CITATION")


def _find_gold_taking_up(line: SignLine) -> list[int] | None:
    """Find the gold in the clause that takes up the question, if no other takes it up as much."""
    stating = [clause for clause in line.clauses if Sign.GOLD.value in clause.values]
    is_compared = line.has(Sign.CLASH, Sign.NEWER, Sign.OLDER, Sign.PAST)
    if not stating or is_compared or _cites_several(line):
        return None
    gold = min(stating, key=lambda clause: (clause.is_aside, -clause.focus))
    for other in line.clauses:
        is_other_value = Sign.GOLD.value not in other.values and not other.is_aside
        if is_other_value and _takes_up_as_much(line, gold, other):
            return None
    return [gold.start + gold.signs.index(Sign.GOLD.value)]


def _takes_up_as_much(line: SignLine, gold: Clause, other: Clause) -> bool:
    """Return whether a clause with another value takes up the question as much as the gold's.

    Of two that take it up alike, the one before does, but not if its value is a step to the answer,
    or has the gold for another name. In a question of several steps, one behind does, too, if it
    has all words of the gold's.
    """
    if other.start < gold.start:
        # "Her mother is Ann, who was born in Rome": Ann is a step.
        leads_to_gold = gold.signs[0] == Sign.WHO.value
        if line.asks_several_steps:
            is_step = other.focus < ASKING
        else:
            is_step = leads_to_gold and other.focus < BARE_VALUE
        if is_step or _ALIAS_BEHIND.search(line.signs[: gold.end]):
            return False
        if gold.is_aside or gold.focus <= other.focus:
            return True
    says_all = line.asks_several_steps and gold.focus > 0 and gold.words <= other.words
    return other.focus > gold.focus or (says_all and other.focus == gold.focus)


_ALIAS_BEHIND = signs("RIVAL (?: OPEN ALIAS? | (?: COMMA | DASH )? ALIAS ) GOLD FINISH")


def _find_rival_taking_up(line: SignLine) -> list[int] | None:
    """Find another value whose clause asks as the question does, where no clause of the gold does.

    It must be the only such clause, and the gold's may not even have another word of the question.
    """
    is_compared = line.has(Sign.CLASH, Sign.NEWER, Sign.OLDER, Sign.PAST, Sign.DENIED)
    if is_compared or _cites_several(line) or line.asks_several_steps:
        return None
    golds = [clause for clause in line.clauses if Sign.GOLD.value in clause.values]
    others = [clause for clause in line.clauses if Sign.GOLD.value not in clause.values]
    asking = [clause for clause in others if clause.focus >= ASKING and not clause.is_aside]
    if len(asking) != 1 or any(clause.focus >= ON_TOPIC for clause in golds):
        return None
    return [asking[0].start + asking[0].signs.index(Sign.RIVAL.value)]


DECISIONS: tuple[Decision, ...] = (
    Decision(
        "not before",
        "a value behind a negation",
        Effect.DENIES,
        _all(
            """
            NOT CITATION? COMMA WHO PLAIN* (?P<value> VALUE )       # Not, as some say, Rome.
            """,
            f"""
            NOT COLON? {_LEAD} OPEN? (?P<value> {_VALUES} )
            """,
        ),
        "It was Oslo, not Rome.",
        "No doubt it was Rome.",
    ),
    Decision(
        "not behind",
        "a value that is not, where none follows",
        Effect.DENIES,
        _all(
            f"""
            (?P<value> VALUE ) (?: QUESTION_WORD | WORD | CITATION ){{0,3}} IS?
            NOT (?! {_LEAD} (?: VALUE | DENIED ) )
            """
        ),
        "Rome it was not; it was Oslo.",
        "Rome, not Oslo.",
    ),
    Decision(
        "wrong behind",
        "a value that is called wrong behind it",
        Effect.DENIES,
        _all(
            """
            (?P<value> VALUE (?: LISTING VALUE )* )
            CLOSE? (?: COMMA | OPEN | COLON | DASH )* WHO? (?: VALUE | PLAIN )* WRONG
            """,
            """
            (?P<value> VALUE ) OTHER_THAN(STOP|VALUE)* BUT (?: WORD | IS )* WRONG
            """,
        ),
        "Rome is wrong. It was Oslo.",
        "Rome. Nothing is wrong with that.",
    ),
    Decision(
        "closes",
        "a value that is all of the last sentence",
        Effect.CHOOSES,
        _last(
            "(?P<value> VALUE ) GIVES_WAY (?P=value) END* FINISH",
            """
            ANY ANY ANY (?<! VALUE LISTING VALUE ) END+ (?: NEWER? GIVES_WAY | CONCLUSION COLON )?
                (?P<value> VALUE ) END* FINISH
            """,
            """
            (?: END | SEMICOLON ) REASON OTHER_THAN(END|SEMICOLON|COMMA|VALUE)*
                (?: COMMA | COLON ) (?P<value> VALUE ) (?: IS | QUESTION_WORD )* END* FINISH
            """,
        ),
        "Fact 3 says Oslo, fact 9 says Rome.\nRome",
        "Rome and Oslo. Rome",
    ),
    Decision(
        "settles a clash",
        "the only value behind the remark that two clash",
        Effect.CHOOSES,
        _last("VALUE ANY* CLASH OTHER_THAN(VALUE)* (?P<value> VALUE ) OTHER_THAN(VALUE)* FINISH"),
        "Fact 3 says Oslo, fact 9 Rome. They conflict. The larger number is 9. It is Rome.",
        "Fact 3 says Oslo, fact 9 Rome. They conflict.",
    ),
    Decision(
        "outlasts",
        "a value that replaces another",
        Effect.CHOOSES,
        _last(
            f"""
            (?P<value> GOLD | GOLD_AGAIN ) {_NO_VALUE} SEMICOLON? OUTLASTS {_NO_VALUE} {_ANOTHER}
                {_NOTHING_CONCLUDED}
            """,
            f"""
            (?P<value> RIVAL | RIVAL_AGAIN ) {_NO_VALUE} SEMICOLON? OUTLASTS {_NO_VALUE} {_GOLD}
                {_NOTHING_CONCLUDED}
            """,
        ),
        "Rome supersedes Oslo.",
        "Rome is a city in Italy.",
    ),
    Decision(
        "gives way",
        "a value that another one gave way to",
        Effect.CHOOSES,
        _last(
            f"""
            {_GOLD} {_NO_VALUE} GIVES_WAY {_NO_VALUE} (?P<value> RIVAL | RIVAL_AGAIN )
                {_NOTHING_CONCLUDED}
            """,
            f"""
            {_ANOTHER} {_NO_VALUE} GIVES_WAY {_NO_VALUE} (?P<value> GOLD | GOLD_AGAIN )
                {_NOTHING_CONCLUDED}
            """,
            "CLASH ANY* GIVES_WAY (?P<value> VALUE | AGAIN )",
        ),
        "Oslo was replaced by Rome.",
        "The name was replaced by Rome.",
    ),
    Decision(
        "once",
        "what was so before",
        Effect.PASSES,
        _all(
            """
            OLDER (?: QUESTION_WORD | CITATION | IS | COLON )* (?P<value> VALUE )
            """,
            """
            (?P<value> VALUE ) CITATION? CLOSE? (?: COMMA | COLON | DASH )? BUT?
                (?: CITATION | PLAIN )* OLDER
                (?: OPEN | CLOSE | COMMA | STOP | COLON | AND | BUT | DASH | CONCLUSION | FINISH )
            """,
            """
            (?P<value> VALUE ) CITATION? OPEN (?: CITATION COMMA )? WORD? OLDER CLOSE
            """,
            """
            (?P<value> VALUE ) CLOSE? (?: COMMA | OPEN )? (?: WHO IS? | IS ) NEWER? OLDER
            """,
        ),
        "Formerly Oslo, today Rome.",
        "Her old friend says Rome.",
    ),
    Decision(
        "granted",
        "what is granted only to say otherwise",
        Effect.PASSES,
        _all("CONCESSION COMMA? (?: PLAIN | CITATION )* (?P<value> VALUE )"),
        "Although one fact says Oslo, she was born in Rome.",
        "She was born in Rome, although she never said so.",
    ),
    Decision(
        "given up",
        "what became something else",
        Effect.PASSES,
        _all(
            """
            (?P<value> VALUE )
            (?: OPEN | CLOSE | CITATION | PLAIN | COMMA | WHO | BUT )* IS? NEWER? GIVES_WAY
            """,
            "GIVES_WAY VALUE (?P<value> VALUE )",  # Updated to Rome from Oslo.
        ),
        "Oslo became Lyon. She was born in Rome.",
        "Rome.",
    ),
    Decision(
        "corrects itself",
        "what is said after a correction",
        Effect.CHOOSES,
        _last("CORRECTION OTHER_THAN(VALUE){0,25} (?P<value> VALUE )"),
        "Oslo, wait, Rome.",
        "It is Rome, actually.",
    ),
    Decision(
        "concludes",
        "the only value of a conclusion",
        Effect.CHOOSES,
        _last(
            f"""
            CONCLUSION OTHER_THAN(VALUE|STOP|BOTH|CLASH|UNDECIDED)* (?P<value> VALUE )
                (?: {_NO_VALUE} (?P=value) )* {_NO_VALUE} (?: STOP | FINISH )
            """,
            """
            (?<! AND )(?<! OR ) (?P<value> VALUE ) (?: COMMA | SEMICOLON )? (?: AND | WHO )?
                IS? CONCLUSION END? FINISH
            """,
        ),
        "Fact 3 says Oslo, but fact 9 says Rome, so Rome.",
        "So it is Rome or Oslo.",
    ),
    Decision(
        "past only",
        "what was so once, where nothing else is said",
        Effect.CHOOSES,
        _find_only_past,
        "She was originally born in Rome.",
        "Formerly Rome, now Oslo.",
    ),
    Decision(
        "only rivals",
        "another value, where the gold is not said or is taken back",
        Effect.CHOOSES,
        _find_only_rivals,
        "She was born in Oslo.",
        "She was born in Rome.",
    ),
    Decision(
        "only the gold",
        "the gold, where no other value is left",
        Effect.CHOOSES,
        _find_only_gold,
        "She was born in Rome.",
        "Rome or Oslo.",
    ),
    Decision(
        "opens",
        "a value that is all of the first sentence",
        Effect.CHOOSES,
        _find_opening_value,
        "Rome. One entry has Oslo.",
        "Rome. So it is Oslo.",
    ),
    Decision(
        "refers back",
        "a value whose number, or whose place, is said to hold",
        Effect.CHOOSES,
        _last(
            """
            (?: NEWER | CONCLUSION ) OTHER_THAN(VALUE|AGAIN|STOP|OLDER|CONCESSION)*
                (?P<value> AGAIN )
                OTHER_THAN(VALUE|AGAIN|STOP)* (?: STOP | FINISH )
            """,
            """
            (?P<value> AGAIN ) OTHER_THAN(VALUE|AGAIN|STOP|OLDER)* (?: NEWER | CONCLUSION )
            """,
        ),
        "Oslo in fact 3, Rome in fact 9, and fact 9 is newer.",
        "Fact 9 says Rome, fact 3 says Oslo.",
    ),
    Decision(
        "turns",
        "the only value behind a ``but``",
        Effect.CHOOSES,
        _last(
            f"""
            VALUE OTHER_THAN(OPEN|STOP)* BUT OTHER_THAN(VALUE|BOTH|STOP)*
            (?P<value> VALUE ) (?! AND | OR ) {_NO_VALUE} (?: STOP | FINISH )
            """
        ),
        "One fact says Oslo, but the last one says Rome.",
        "Oslo, but maybe Rome or Lyon.",
    ),
    Decision(
        "newer",
        "the value that alone is called newer",
        Effect.CHOOSES,
        _find_newer,
        "Oslo, and Rome in the newer fact.",
        "Oslo in the newer fact, Rome in the newest.",
    ),
    Decision(
        "asides",
        "values in a reason, or in a question that the text asks itself",
        Effect.SETS_ASIDE,
        _all(
            """
            REASON OTHER_THAN(COMMA|STOP|COLON|OPEN|CLOSE|BUT|CONCESSION|VALUE)*
                (?P<value> VALUE )
            """,
            """
            (?P<value> VALUE ) OTHER_THAN(END|QUESTION_MARK)* QUESTION_MARK
            """,
        ),
        "Rome, because Oslo is where she went to school.",
        "Because fact 9 is newer, Rome.",
    ),
    Decision(
        "does not choose",
        "two values, of which the text says that it cannot choose",
        Effect.LEAVES_OPEN,
        _find_indecision,
        "Rome and Oslo are given; I cannot say which is right.",
        "Rome; I cannot say more.",
    ),
    Decision(
        "two with a comma",
        "two values that may be one: a city and its country",
        Effect.DOUBTS,
        _doubt_pair,
        "Rome, Lazio.",
        "Rome, Oslo, Lyon.",
    ),
    Decision(
        "only the gold uncited",
        "the gold, where others are cited or in brackets",
        Effect.CHOOSES,
        _find_uncited_gold,
        "She was born in Rome (one fact has Oslo).",
        "She was born in Rome and Oslo.",
    ),
    Decision(
        "side by side",
        "the gold and another value in one list",
        Effect.LEAVES_OPEN,
        _find_plain_list,
        "Rome and Oslo.",
        "Rome, where Oslo is not far.",
    ),
    Decision(
        "same frame",
        "two clauses that say the same of two values",
        Effect.LEAVES_OPEN,
        _find_same_frame,
        "Fact 3 says Oslo. Fact 9 says Rome.",
        "She was born in Rome. She died in Oslo.",
    ),
    Decision(
        "clashes",
        "two values that are said to clash",
        Effect.LEAVES_OPEN,
        _find_clash,
        "The facts conflict. Rome is a town. Oslo is where she was.",
        "She was born in Rome.",
    ),
    Decision(
        "takes up the question",
        "the value of the clause that takes up the question",
        Effect.CHOOSES,
        _find_gold_taking_up,
        "She was born in Rome and studied in Oslo.",
        "She was born in Oslo and came to Rome.",
    ),
    Decision(
        "another takes up the question",
        "another value, whose clause takes up the question where that of the gold does not",
        Effect.CHOOSES,
        _find_rival_taking_up,
        "The villa is in Rome. She was born in Oslo.",
        "She was born in Rome. The villa is in Oslo.",
    ),
)
