"""How quantities are rewritten: one entry for each way of writing, in their order.

In a pattern, ``%(small)s`` is a number below a hundred in words, ``%(last)s`` an ordinal below it,
``%(scaled)s`` a number of hundreds, thousands and so on, ``%(scale)s`` what counts them,
``%(units)s`` a unit in short (``units``), ``%(month)s``, ``%(day)s`` and ``%(of_year)s`` the parts
of a date.
"""

from __future__ import annotations

from typing import NamedTuple


class Rewriting(NamedTuple):
    """What is rewritten, and as what: a text, or what the maker of that name makes of it."""

    cues: tuple[str, ...]  # One of these is in every text that the pattern finds.
    pattern: str
    made: str


# Of numbers in words.
WORDS: tuple[Rewriting, ...] = (
    Rewriting(
        (
            "n't",
            "nt",
        ),
        (
            r"\b(do|does|did|is|was|are|were|had|has|have|could|would|should|must|need"
            r"|might)n'?t\b"
        ),
        r"\1 not",
    ),
    Rewriting(
        ("can't",),
        r"\bcan't\b",
        "cannot",
    ),
    Rewriting(
        ("won't",),
        r"\bwon't\b",
        "will not",
    ),
    Rewriting(
        ("half",),
        (
            r"(?<!and )\b(?:half an?|an? half) (?=year|hour|decade|dozen|thousand"
            r"|million|billion|trillion)"
        ),
        "0.5 ",
    ),
    Rewriting(
        ("quarter of an hour",),
        r"\ba quarter of an hour\b",
        "15 minutes",
    ),
    Rewriting(
        (
            "fortnight",
            "decade",
            "century",
        ),
        r"\ban? (?=fortnight|decade|century)",
        "1 ",
    ),
    Rewriting(
        (
            " and a half",
            " and a quarter",
        ),
        r"\b(?:an?|one) (year|hour|decade|month|week|day) and a (half|quarter)\b",
        r"1 and a \2 \1s",
    ),
    Rewriting(
        (
            "x a",
            "x per",
            "x every",
        ),
        r"\b(\d+)x (?=an? |per |every )",
        r"\1 times ",
    ),
    Rewriting(
        (
            "once ",
            "one time",
        ),
        r"\b(?:once|one time) (?:an?|per|each|every) (hour|day|week|month|year)\b",
        r"every \1",
    ),
    Rewriting(
        ("once ",),
        r"\bonce (?=an? |per |every |or )",
        "one time ",
    ),
    Rewriting(
        ("twice",),
        r"\btwice\b",
        "two times",
    ),
    Rewriting(
        ("thrice",),
        r"\bthrice\b",
        "three times",
    ),
    Rewriting(
        ("annually",),
        r"\bannually\b",
        "every year",
    ),
    Rewriting(
        ("noon",),
        r"\bnoon\b",
        "12 pm",
    ),
    Rewriting(
        ("third",),
        r"\b(?:an?|one|1)[ -]third\b",
        "1/3",
    ),
    Rewriting(
        ("thirds",),
        r"\b(?:two|2)[ -]thirds\b",
        "2/3",
    ),
    Rewriting(
        (
            "hourly",
            "weekly",
            "monthly",
            "yearly",
        ),
        r"\b(hour|week|month|year)ly\b",
        r"every \1",
    ),
    Rewriting(
        ("daily",),
        r"\bdaily\b",
        "every day",
    ),
    Rewriting(
        ("days",),
        r"\bon (%(weekdays)s)s\b",
        r"every \1",
    ),
    Rewriting(
        ("times ",),
        r"(?<=\btimes )(?:per|each|every) ",
        "a ",
    ),
    Rewriting(
        ("ies",),
        (
            r"\b(?:the|nineteen)[ -](?:(?:early|mid|late)[ -])?((?:twen|thir|for|fif"
            r"|six|seven|eigh|nine)t)ies\b"
        ),
        "decade",
    ),
    Rewriting(
        (" one",),
        (
            r"\b(wrong|incorrect|false|current|newer|newest|older|oldest|latest|later"
            r"|earlier|this|that|the|no|any|each|every|which|right|best|correct|other"
            r"|another|only|last|new|some) one\b"
        ),
        r"\1 ones",
    ),
    Rewriting(
        (
            "teen",
            "twenty",
        ),
        (
            r"\b(seventeen|eighteen|nineteen|twenty)[ -]((?:%(tens)s)(?:[ -](?:"
            r"%(low)s))?|ten|eleven|twelve|\w{3,5}teen)(?!\w|[ -](?:%(scale)s))"
        ),
        "number",
    ),
    Rewriting(
        ("%(counts)s",),
        (
            r"(?<![\w-])(?:(?<!\d )(?<!half )(?:%(scaled)s(?:[ -](?:and )?"
            r"%(scaled)s)*(?:[ -](?:and )?(?:%(last)s|%(small)s))?|%(small)s(?![ -](?:"
            r"%(ordinals)s)))|%(last)s)(?!\w)"
        ),
        "number",
    ),
    Rewriting(
        ("half",),
        (
            r"(?<![stnd] )\bhalf (?:of )?(?=(?:the|it|them|all|his|her|their)\b)"
            r"|^\W*half(?=\W*$)"
        ),
        "50 percent ",
    ),
    Rewriting(
        ("quarter",),
        r"\b(?:an?|1) quarter(?= of (?:the|it|them|all|his|her|their)\b|\W*$)",
        "25 percent",
    ),
    Rewriting(
        ("quarters",),
        r"\b(?:3|three)[ -]quarters(?= of (?:the|it|them|all|his|her|their)\b|\W*$)",
        "75 percent",
    ),
    Rewriting(
        (
            "dollar",
            "bucks",
        ),
        r"\b(?:us|u\.s\.|american) dollars?\b|\bbucks\b",
        "dollars",
    ),
    Rewriting(
        (
            "meter",
            "liter",
        ),
        r"\b(kilo|centi|milli|)(met|lit)er(s?)\b",
        r"\1\2re\3",
    ),
)

# Of texts in which there is a digit by then.
DIGITS: tuple[Rewriting, ...] = (
    Rewriting(
        (" c.",),
        r"(?<=\d(?:st|nd|rd|th)) c\.(?![^\W\d_])",
        " century",
    ),
    Rewriting(
        ("half",),
        r"\b(\d+) and (?:an? |1 )?half\b",
        r"\1.5",
    ),
    Rewriting(
        ("quarter",),
        r"\b(\d+) and (?:an? |1 )?quarter\b",
        r"\1.25",
    ),
    Rewriting(
        ("half past",),
        r"\bhalf past (\d{1,2})\b",
        r"\1:30",
    ),
    Rewriting(
        ("quarter past",),
        r"\bquarter past (\d{1,2})\b",
        r"\1:15",
    ),
    Rewriting(
        ("m",),
        r"(?<![\d.])(\d{1,2})\.(\d\d)(?=\s?[ap]\.?m\b)",
        r"\1:\2",
    ),
    Rewriting(
        ("m",),
        r"(?<![\d.:])(\d{1,2}(?:[:.](?!00)\d\d)?)(?:[:.]00)?\s?([ap])\.?m\b\.?",
        r"\1 \2m",
    ),
    Rewriting(
        ("in the morning",),
        (
            r"(?<![\d.:])(\d{1,2}(?:[:.](?!00)\d\d)?)(?:[:.]00)?\s?"
            r"(?:o'clock )?in the morning\b"
        ),
        r"\1 am",
    ),
    Rewriting(
        ("in the",),
        (
            r"(?<![\d.:])(\d{1,2}(?:[:.](?!00)\d\d)?)(?:[:.]00)?\s?"
            r"(?:o'clock )?in the (?:afternoon|evening)\b"
        ),
        r"\1 pm",
    ),
    Rewriting(
        (":",),
        r"(?<![\d.:/])(1[3-9]|2[0-3])(?::00|(:\d\d))(?![\d:])",
        "time",
    ),
    Rewriting(
        (
            " ",
            ",",
            "'",
            "\u2019",
            "\xa0",
            "\u202f",
        ),
        r"(?<![\d.,])\d{1,3}(?:[ ,'\u2019\u00a0\u202f]\d{3})+(?!\d|,\d)",
        "digits",
    ),
    Rewriting(
        (".",),
        r"(?<![\d.,])\d{1,3}(?:\.\d{3}){2,}(?![\d.]\d)",
        "digits",
    ),
    Rewriting(
        (".",),
        r"(?<![\d.])(\d+)\.0+(?![\d.])",
        r"\1",
    ),
    Rewriting(
        ("%(months)s",),
        (
            r"\b%(month)s \d{1,2} ?(?:-|\u2013| to | and ) ?(?P<day>\d{1,2}),? "
            r"(?P<year>\d{4})\b"
        ),
        "date",
    ),
    Rewriting(
        ("%(months)s",),
        r"\b(?P<year>\d{4}),? %(month)s %(day)s\b",
        "date",
    ),
    Rewriting(
        ("%(months)s",),
        r"\b%(day)s[ -](?:of )?%(month)s%(of_year)s",
        "date",
    ),
    Rewriting(
        ("%(months)s",),
        r"\b%(month)s[ -](?:the )?%(day)s\b%(of_year)s",
        "date",
    ),
    Rewriting(
        (
            "-",
            "/",
            ".",
        ),
        r"\b(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})\b",
        "date",
    ),
    Rewriting(
        (
            ".",
            "/",
        ),
        r"\b(?P<day>\d{1,2})[./](?P<month>\d{1,2})[./](?P<year>\d{4})\b",
        "date",
    ),
    Rewriting(
        ("/",),
        r"(?<![\d/])(?P<month>0?[1-9]|1[0-2])/(?P<year>(?:1[5-9]|20)\d\d)\b(?!/)",
        "date",
    ),
    Rewriting(
        ("'",),
        r"(?<=\b(?:of|in) )'([0-3]\d)\b",
        r"20\1",
    ),
    Rewriting(
        ("'",),
        r"(?<=\b(?:of|in) )'(\d\d)\b",
        r"19\1",
    ),
    Rewriting(
        ("%(months)s",),
        r"\b%(month)s,? (?:of |in )?'(\d{2})\b",
        r"\g<month> 20\2",
    ),
    Rewriting(
        ("%(months)s",),
        r"\b%(month)s,? (?:of |in )?(?P<year>\d{4})\b",
        "date",
    ),
    Rewriting(
        ("yesterday",),
        r"\byesterday%(spoken)s",
        "day before ",
    ),
    Rewriting(
        ("tomorrow",),
        r"\btomorrow%(spoken)s",
        "day after ",
    ),
    Rewriting(
        ("last",),
        r"\blast (day|week|weekend|month|year|%(weekdays)s)%(spoken)s",
        r"\1 before ",
    ),
    Rewriting(
        ("next",),
        r"\bnext (day|week|weekend|month|year|%(weekdays)s)%(spoken)s",
        r"\1 after ",
    ),
    Rewriting(
        (
            "$",
            "\u20ac",
            "\xa3",
            "\xa5",
            "\u20b9",
            "%(scale)s",
            "usd",
            "eur",
            "gbp",
            "jpy",
            "inr",
        ),
        (
            r"(?:(?<![^\W\d_])(?:(?:us|u\.s\.) ?)?(?P<sign>%(currency)s)\s?|"
            r"(?<![\w.-]))(?P<number>\d+(?:\.\d+)?)(?:(?P<gap>[ -])?(?P<scale>"
            r"%(scale)s)s?\b(?![\u00b2/]))?(?:\s?(?P<behind>%(currency)s|dollars?|euros?"
            r"|pounds?)(?!\w))?"
        ),
        "amount",
    ),
    Rewriting(
        ("",),
        r"(?<=\d)[ -]?(?P<unit>%(units)s)(?![\w\u00b2/])\.?",
        "unit",
    ),
    Rewriting(
        (
            "%%",
            "cent",
            "pct",
        ),
        r"(?<=\d)\s?(?:%%|per ?cent\b|pct\b)",
        " percent",
    ),
    Rewriting(
        (
            "between",
            "from",
        ),
        (
            r"(?<!changed )(?<!updated )(?<!corrected )\b(?:between|from) (\d{1,4}) "
            r"(?:and|to|until|till|through) (\d{1,4})\b"
        ),
        r"\1 to \2",
    ),
    Rewriting(
        (
            "-",
            "\u2013",
            "\u2014",
        ),
        r"(?<![\d.-])(1[5-9]|20)(\d\d)[-\u2013\u2014](\d\d)(?![\d.-])",
        r"\1\2 to \1\3",
    ),
    Rewriting(
        (
            "-",
            "\u2013",
            "\u2014",
            " to ",
            " until ",
            " till ",
            " through ",
        ),
        (
            r"(?<![\d.-])(\d{1,4})[ ]?(?:-|\u2013|\u2014| to | until | till "
            r"| through )[ ]?(\d{1,4})(?!\d|\.\d|-\d|\s?%%|\spercent)"
        ),
        r"\1 to \2",
    ),
)
