"""Frames of questions: most fit many kinds of answer, some one kind alone."""

from __future__ import annotations

from mabench_synthetic.language.wordings import phrases, table

# Frames for any noun of a group: {h} is the noun of the kind asked for, {e} stands for a name.
FRAMES = {
    "letters": phrases("""
    what is the {h} (of/for) {e}? | (give/tell me) the {h} (of/for) {e}
    """),
    "account": phrases("""
    what (is/was) the {h} of {e}? | what is the {h} behind {e}? |
    (what/which) {h} (does/did) {person} give for {e}? | what is the {h} of the {y} (in/of) {e}? |
    (explain/tell me) the {h} of {e} |
    what is the {h} (of/for) those who {do} a {y}?
    """),
    "thing": phrases("""
    (what/which) {h} (is/was) {e} (famous/known/noted/named) for? |
    (what/which) {h} did {person} (bring to/leave in/find in/see in) {city}? |
    what (is/was) the (name of the/) {h} (that/which) {person} (loved/lost/feared/described/drew)? |
    (what/which) {h} (comes/came) from {country}? |
    what is the (oldest/rarest/best known/favourite/first) {h} (of/in) {e}? |
    what (kind/sort/type) of {h} (is/was) {e}? | name (the/one) {h} (of/from) {e} |
    what is the {h} of {e} called? |
    (what/which) {h} (appears/stands) on the (seal/stamps/walls) of {city}? |
    {e} is (what/which) (kind of/) {h}? |
    what {h} do (people/children/farmers) in {country} (love/fear/prefer/avoid)? |
    what is the national {h} of {country}? |
    (what/which) {h} (did/does) {person} (own/have/prefer/collect)? |
    what {h} has the (most/longest/smallest) {y}? |
    (what/which) {h} was (banned/introduced/discovered) in {year}? |
    in (what/which) {h} did {person} (excel/appear/believe)? |
    (what/which) {h} did {person} {do}? | what {h} {did} {e}? |
    what (is/was) the {h} that {did} {e}?
    """),
    "people": phrases("""
    (what/which) {h} (won/lost/sold/founded/discovered/invented) {e}? |
    (what/which) {h} (wrote/painted/built/made) {e}? |
    what (is/was) the name of the {h} (who/that) (ruled/left/robbed/saved) {e}? |
    (who/which {h}) (owns/owned) the (largest/oldest) {y} (of/in) {e}? |
    (what/which) {h} (lived/worked/died) (in/near) {city}? | name the {h} (of/from) {e} |
    (what/which) {h} had (a/the) {y} (in/from) {e}? |
    who (is/was) the (first/last/most famous/richest) {h} (of/in/from) {e}? |
    what {h} is {person} (a member of/said to be)? |
    (what/which) {h} (was/became) (banned from/known as/feared in) {e}? |
    {e} was (founded/sold/written) by (what/which) {h}? |
    (what/which) {h} {did} {e}? | what (is/was) the name of the {h} who {did} {e}? |
    (what/which) {h} was {done} by {person}?
    """),
    "place": phrases("""
    (what/which) {h} (has/had) the (most/largest/oldest) {y}? |
    (what/which) {h} (did/does) {person} (come from/visit/leave/live in)? |
    what (is/was) the (name of the/) {h} (where/in which) {person} (died/was born/met {person})? |
    (in/on/near) (what/which) {h} (is/was) {e}? |
    what is the (largest/smallest/deepest/oldest) {h} (of/in) {country}? |
    (what/which) {h} is (nearest to/known for/home to) {e}? | {e} (lies/is) in (what/which) {h}? |
    name (a/the) {h} (in/of/near) {e} |
    (what/which) {h} (is/was) (named after/ruled by/full of) {e}? |
    what {h} (lost/gained/exported) the {y} of {e}? | which {h} borders (on/) {e}? |
    what {h} is the {y} from? |
    (what/which) {h} did {person} {do}? | in (what/which) {h} did {person} {do} {e}? |
    what {h} was {done} in {year}?
    """),
    "number": phrases("""
    what (is/was) the {h} of {e}? | (what/which) {h} (does/did) {e} (have/reach)? |
    what is the (average/usual/highest/lowest) {h} (of/in) {e}? | (give/tell me) the {h} of {e} |
    what is the {h} of the {y} (in/of) {e}? |
    what {h} did {person} (give/have/remember/get) for the {y}? |
    what {h} did {person} {do} {e} (in/at/for)?
    """),
}
# Frames of all kinds of a group, in which no noun tells them apart.
OPEN = {
    "thing": phrases("""
    what did {person} {do} (in/on/under/after) {e}? | what do people {do} in {country}? |
    what (is/was) {done} (in/by/for) {e}? | what did {person} {do} {e} with? | what {did} {e}? |
    with what did {person} {do} {e}? | what did {person} {do}?
    """),
    "people": phrases("""
    who {did} {e}? | who {did} the {y} (of/in/for) {e}? | by whom (is/was) {e} {done}? |
    who {did} the {ys} of {e}?
    """),
    "place": phrases("""
    where did {person} {do} {e}? | where (is/was) {e} {done}? | from where did {person} {do} {e}? |
    where (can/do) (I/you/people) {do} a {y}?
    """),
    "number": phrases("""
    how (much/many) of {e} did {person} {do}? | how (large/great/high) (is/was) the {y} of {e}? |
    how much {did} {e}? | how much of a {y} can you {do}?
    """),
}
# Frames of one kind alone.
OWN = table("""
shortening: how is {body} (shortened/abbreviated)? | (what/which) letters stand for {body}? |
    what is {body} in short?
expansion: what does {letters} (stand for/mean)? | what is {letters}? |
    what is {letters} short for? | what do the letters {letters} (mean/stand for)? |
    {letters} stands for what?
meaning: what is a {y}? | what is {name}? | what does {name} mean? | (what is/define) a {y}? |
    what is meant by {name}? | what is a {y} in {y} (terms/talk)? |
    what does (it mean/the word mean) when a {y} is called {name}? |
    what does it mean to {do} a {y}? | what is {name} to (those/people) who {do} a {y}?
story: what (happened/happens) (to/in/at) {e}? | what (is/was) {e} like? | what does a {y} do? |
    what is it like to (be a {y}/live in {city})? | what did {person} (do/say) (in/about) {e}? |
    what are the {y} and the {y} (of/in) {e}? | how is a {y} different from a {y}? |
    what happens when you {do} a {y}? | what (happened/changed) when {person} {did} {e}?
way: how (do/can) (you/I) (make/find/clean/repair/choose/draw) a {y}? |
    how did {person} (die/become rich/win/escape)? | how (is/was) a {y} (made/used/measured)? |
    how does a {y} (work/grow/move)? | how do you (say/pronounce/spell) {name}? |
    how can I (get/go) to {city}? |
    how did {person} {do} {e}? | how (do/can) (you/I) {do} a {y}? |
    how do people {do} a {y} in {country}?
reason: why did {person} (leave/hate/fear/sell) {e}? | why (is/was) {e} (closed/famous/feared)? |
    why does a {y} (turn white/smell/float)? | what (made/makes) {person} (angry/leave {city})? |
    what caused the {y} (of/in) {e}? | why is a {y} called {name}? |
    why did {person} {do} {e}? | why do people {do} a {y}?
colour: what colour (is/was) the {y} of {e}? | what (are/were) the colours of {e}?
term: what (is/was) a {y} (from/of) {e} called? |
    what do (you/people) call a {y} (in {country}/without a {y})? |
    what is another (word/name) for a {y}? | what do you call a {y} and a {y} (together/at once)? |
    what do you call (a man/somebody) who {did} a {y}?
object: what did {person} (find/leave/carry/wear/throw) (in/on/under) {e}? |
    what is (kept/hidden/sold) (under/in) the {y} of {e}? | what has {number} {ys}?
goods: what does {body} (make/sell/produce)? | what is (made/sold) by {body}?
matter: what is a {y} made (of/from)? | what (is/was) the {y} of {e} made (of/from)?
sport: what does {person} play for {country}? | what do they play in {city} (with/for) a {y}?
work: what did {person} (write/compose/paint/film) (in {year}/about {e})? |
    in what did {person} (play/star/sing)? |
    in what did {person} {do} a {y}?
group: who (owns/makes/publishes) the {y} of {e}? | whom did {person} play for in {year}?
person: who (is/was) the {h} (of/from/in) {e}? |
    who (invented/discovered/founded/wrote/killed/painted) {e}? |
    who (was/is) (named/called) {name}? |
    who (first/) (won/stole/broke/made) the {y} (of/in) {e}? |
    whose {y} (was lost/is kept) in {e}? |
    what is the name of {person}'s (wife/son/mother/teacher)? | who said {name} (to {person}/)? |
    who (owned/built) (the/a) {y} in {city}? | who (played/sang/met) {person} in {year}? |
    who {did} {e}? | who {did} the {y} (of/in/for) {e}? | who was the first to {do} {e}? |
    who (would/could) {do} a {y} in {year}?
title: what did {person} do for a living? | what (is/was) {person} by trade? |
    what did {person} work as in {city}?
portrait: who (is/was) {person}? | who exactly (is/was) {person}? |
    what is {person} (famous/known) for? |
    who was {person} to {do} {e}?
spot: where (is/was/lies) {e}? | where (can/do) (I/you) (find/buy/see) a {y}? |
    where did {person} (die/live/go/hide a {y})? | where is the {y} of {e}? |
    where does a {y} (live/come from/grow)? | what is (between {city} and {city}/south of {city})? |
    where did {person} {do} {e}? | where (can/do) (I/you/people) {do} a {y}?
town: where was {person} born? | what is the capital of {country}?
country: where does {name} come from? | where do they call a {y} {name}?
count: how many {ys} (are there in/belong to) {e}? | how many {ys} (does/did) {e} have? |
    how many {ys} (live/work/stand) in {e}? | how many {ys} did {person} (own/have/lose/write)? |
    how many {ys} (are in/make) a {y}? | how many times did {person} (win/marry/visit {city})? |
    how many {ys} did {person} {do}? | how many {ys} {did} {e}?
date: when (was/is) {e} (founded/built/closed/born)? |
    when did {person} (die/leave {city}/win/marry {person})? |
    what (day/time of the year) does {e} (start/open)? |
    when (did/does) the {y} of {e} (open/begin/end)? | in what year did {e} (begin/end/fall)? |
    when did {person} {do} {e}? | in what year did {person} {do} {e}? | when was {e} {done}?
distance: how (far/high/deep/wide/tall/long) (is/was) {e}? |
    how far is it from {city} to {city}? | how (tall/long/high) is a {y}?
sum: how much (does/did) (the/a) {y} (of/in/from) {e} cost? | how much (is/was) {e} worth? |
    how much (did/does) {person} (earn/pay) for a {y}? | what does it cost to (see/enter/buy) {e}? |
    how much did {person} pay to {do} {e}? | how much does it cost to {do} a {y}?
period: how old (is/was) {person} (in {year}/)? | how long (did/does) {e} (last/live/take)? |
    how long does a {y} (last/live/take)? | for how long did {person} stay in {e}? |
    how long did it take {person} to {do} {e}? | how long can you {do} a {y}?
share: how much of {country} is (forest/desert/water)? |
    what part of the {ys} of {e} (is/was) (lost/sold)? |
    how much of {e} did {person} {do}?
pace: how fast (is/was) {e}? | how fast (can/does) a {y} (go/run/fall/fly)?
warmth: how (hot/cold/warm) (is/was) {e}? | how (hot/cold) does a {y} get?
extent: how (big/large) (is/was) {e}? | how (big/large) is a {y}?
weight: how heavy (is/was) {e}? | how much (does/did) a {y} weigh?
figure: what did the {y} of {e} score? | at what (level/point) does a {y} (break/freeze)?
rank: which in line (was/is) {person}? | in what place did {person} finish?
happening: what happened in {city} in {year}? | in what did {person} (fight/die/march)? |
    in what did {person} {do} {e}?
illness: what did {person} (die of/suffer from)? | what causes a {y} to (fall/turn) sick?
plant: what grows (on/in) the {y} of {e}? | what did {person} plant in {city}?
food: what did {person} (eat/drink/cook) (in/with/for) {e}? |
    what do they (eat/drink) in {country}?
animal: what (bit/carried/followed) {person} in {city}? | what lives in the {y} of {e}?
tongue: what do they speak in {country}? | what did {person} speak (in {city}/)?
coin: what do they pay with in {country}?
""")
# What may stand for {e}.
NAMES = (
    "{person}",
    "{city}",
    "{country}",
    "{body}",
    "{name}",
    "the {y} of {city}",
    "the {topic} (of/in) {city}",
    "the {adjective} {topic}",
    "the {topic}",
    "the {adjective} {y}",
    "the {topic} of {person}",
    "the {y} in {country}",
)
VAGUE = phrases("""
    what is {e}? | what about {e}? | what do (you/people) know (of/about) {e}? |
    {e}, what is it? | what is the (one/most famous one) (of/in) {e}? |
    what is {e} (known/best known) for? | (tell me/what is there) about {e}
    """)

COMMON = phrases("""
    what (is/was) the {h} of {e}? | what (is/was) the {h} of {e}? |
    (what/which) {h} (did/does) {person} (have/get/choose/mean)? | what (is/was) {person}'s {h}? |
    (give/tell me/name) the {h} of {e} | {e} (has/had) (what/which) {h}? |
    (what/which) {h} (does/did) {e} have? | what is the {h} of {e} called? |
    do you know the {h} of {e}? | (what/which) {h} (is/was) (given/shown/meant) (in/by) {e}? |
    what is the {h} that {person} {did}? | (what/which) {h} (did/does) {person} {do} {e} for? |
    (what/which) {h} (is/was) {done} (in/by) {e}?
    """)
TAILS = phrases("""
    near the {y} of {e} | with a {y} | after the {y} of {e} | for the {y} (of/in) {e} |
    according to the {y} of {e} | without a {y} | before the {y} of {e} | beside a {y} in {e} |
    like the {y} of {e} | during the {y} of {e} | under the {y} | in the {y} by {person} |
    since {year} | in {year} | in {country} | ever | in the world | (today/nowadays) | each year |
    at (sea/home/war) | as a child
    """)
