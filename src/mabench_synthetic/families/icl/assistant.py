"""What people ask an assistant on their phone: things from all walks of life."""

from __future__ import annotations

from mabench_synthetic.families.icl.intents import Intents
from mabench_synthetic.language.wordings import phrases, table

ASSISTANT = Intents(
    things=table("""
ferry: ferry | crossing to the island | boat ride | passage over the lake | sailing
haircut: haircut | trim | visit to the hairdresser | hour at the barber | new look
lesson: guitar lesson | music lesson | hour with my teacher | guitar practice
book: library book | novel from the library | loan from the library | thing I am reading
tour: museum tour | guided tour | walk with the guide | round through the museum
vet: vet visit | check-up of the dog | appointment for the dog | look at my dog's teeth
campsite: campsite | pitch for the tent | night under the stars | place to camp
dinner: dinner party | dinner with friends | evening with guests | big supper
quiz: quiz night | quiz | trivia evening | round of questions
diet: meal plan | diet | list of meals | plan for the kitchen
translation: translation | version in English | text in English | letter for abroad
bicycle: bicycle repair | repair of my bike | bike service | fix for the flat tyre
meter: meter reading | power reading | number for the power company | figure on the meter
tax: tax form | tax return | paper for the tax office | declaration
film: film | movie | showing at the cinema | picture with a star
jab: flu jab | vaccination | shot against the flu | injection
"""),
    needs=table("""
arrange: (set up/arrange/organise/book) (a/the) {o} | I (need/want/would like) (a/the) {o} |
    (can you/could you) get me (a/the) {o}? | (find/get) (me/us) (a/the) {o} |
    (put/write) (a/the) {o} (in/into) my diary | (we should/let us) have (a/the) {o} |
    (it is/it's) time for (a/the) {o} | (sign/put) me (up/down) for (a/the) {o} |
    (is there/have they) room for (a/the) {o}? |
    (make sure/see to it that) I (get/have) (a/the) {o} | (how do/how would) I get (a/the) {o}?
cancel: (cancel/drop/scrap) (my/the) {o} | (forget/never mind) (my/the) {o} |
    I (don't/no longer) (want/need) (my/the) {o} |
    (take/strike) (my/the) {o} (off/out of) my diary | I (cannot/can't) make it to (my/the) {o} |
    (call/get me) out of (my/the) {o} | (tell them/say) I am not coming for (my/the) {o} |
    there will be no {o} | (can I/may I) (skip/miss) (my/the) {o}?
move: (move/shift/change) (my/the) {o} to {day} | (put off/postpone/delay) (my/the) {o} |
    (can/could) (my/the) {o} be (later/earlier)? |
    (make/have) (my/the) {o} (earlier/later/on {day}) |
    (my/the) {o} (must/should) (be/take place) on {day} |
    (find/I need) (another/a better) (day/time) for (my/the) {o} |
    {day} is (better/easier) for (my/the) {o} | (bring/pull) (my/the) {o} forward |
    I (want/would like) (my/the) {o} (on another day/a day later)
show: (show/tell/read) me (my/the) {o} | (which/what) {o} (do I have/is next)? |
    (do I have/have I got) (a/the) {o}? | when is (my/the) (next/) {o}? |
    (is there/have I) (a/the) {o} on {day}? | (look up/check) (my/the) {o} |
    (what is/what's) (in/planned for) (my/the) {o}? |
    (remind/tell) me (when/what) (my/the) {o} is | did I (book/plan) (a/the) {o}?
price: how much (is/for) (a/the) {o}? | what (does/would) (a/the) {o} (cost/take)? |
    (can I/could we) afford (a/the) {o}? | (is there/do they have) a (cheap/cheaper) {o}? |
    (what is/what's) the (price/fee) (of/for) (a/the) {o}? | (pay/settle) (for/) (my/the) {o} |
    is (a/the) {o} worth the money? | what did I (pay/spend) (on/for) (my/the) (last/) {o}? |
    (any/is there a) (offer/discount) for (a/the) {o}?
tell: (send/forward) (my/the) {o} to {person} | tell (my boss/Grandma) about (my/the) {o} |
    (share/pass on) (my/the) {o} | (ask/invite) (my boss/my aunt) (to/along to) (my/the) {o} |
    (does/did) (my boss/Grandma) know (of/about) (my/the) {o}? |
    (write/mail) {person} (when/where) (my/the) {o} is |
    (post/put) (my/the) {o} where (friends/all) can see it |
    (let them/tell them) know about (my/the) {o}
opinion: (is/was) (the/a) {o} (any good/worth it)? | what do people (say/think) of (the/a) {o}? |
    (how is/how good is) (the/a) {o}? | (do you/would you) recommend (the/a) {o}? |
    (read/show) me (reviews/opinions) of (the/a) {o} |
    (should I/must I) (have/go to) (the/a) {o}? | (find/which is) the best {o}? |
    is (the/a) {o} (fun/boring)? | (did/do) (others/people) like (the/a) {o}?
length: how long (does/will) (the/a) {o} (take/last)? | when is (the/my) {o} (over/done)? |
    when does (the/my) {o} (end/finish)? | how many hours is (the/a) {o}? |
    (will/does) (the/my) {o} (end/finish) (by/before) {day}? | is (the/a) {o} (long/short)? |
    (do I/will I) have time (after/for) (the/a) {o}? |
    (what is/what's) the (length/duration) of (the/a) {o}?
again: (repeat/redo) (my/the) (last/) {o} | (the same/once more the) {o} (again/as last time) |
    (give me/I want) (another/one more) {o} |
    (make/have) (my/the) {o} (weekly/monthly/every {day}) | (the/my) usual {o} |
    (do/book) (the/my) {o} (again/once more) |
    (can I/may I) (have/do) (the/my) {o} (again/a second time)? | (renew/extend) (my/the) {o} |
    how often (can/do) I (have/get) (a/the) {o}?
explain: (what is/what's) (a/the) {o}? | (explain/describe) (a/the) {o} (to me/) |
    how does (a/the) {o} work? | why do I need (a/the) {o}? |
    (tell/teach) me (more/something) about (a/the) {o} |
    what (happens/do I do) (at/in/with) (a/the) {o}? |
    (what should/must) I (know/bring) for (a/the) {o}? |
    can (a/the) {o} be (dangerous/difficult)? | who (needs/invented) (a/the) {o}?
place: where is (the/my) {o}? | (how do I/help me) (get/find the way) to (the/my) {o} |
    (what is/give me) the address (of/for) (the/my) {o} |
    (is/isn't) (the/my) {o} (near/far from) (here/{city})? |
    (show/put) (the/my) {o} on (a/the) map | (which/what) (street/town) is (the/my) {o} in? |
    (can I/do I) (walk/drive) to (the/my) {o}? |
    (where/in what place) can I (have/find) (a/the) {o}? |
    (how far/how many miles) (is it/) to (the/my) {o}?
"""),
    vague_things=("thing", "plan", "appointment", "one", "thing for {day}"),
    vague_needs=phrases("""
    (what about/and) (my/the) {o}? | {o} | (my/the) {o}, (please/again) |
    (do/try) something about (my/the) {o} | help me with (my/the) {o} |
    (can you/please) (take care of/handle) (my/the) {o} |
    (anything new/any news) (on/about) (my/the) {o}?
    """),
    details=phrases("""
    for {day} | for my (mother/father) | for (my sister/my brother) | (this/next) week |
    after work | before noon | for two | if it rains | during lunch | in the evening |
    at {number} past | (right/) now | next month | for the children | by bus | by train |
    at home | at night | tonight | by tomorrow | in spring | with friends | on my own | at noon |
    from my list | today | at Easter
    """),
    before_another=phrases("""
    before (my/the) {x}, | after (my/the) {x} (is over/), |
    (since/as) I (cancelled/moved/paid for) (my/the) {x}, |
    (instead of/in place of) (my/the) {x}, | (my/the) {x} is (long/dear/on {day}), so |
    leave (my/the) {x} (as it is/alone) and | (I know/you told me) where (my/the) {x} is, now |
    (no/forget the) {x} today, but | my sister (likes/booked) (the/a) {x}, so
    """),
    after_another=phrases("""
    (before/after) (my/the) {x} | , not (my/the) {x} | because of (my/the) {x} |
    to (see to/pay for) (my/the) {x} | instead of (my/the) {x} | on the day of (my/the) {x} |
    , (as it/which) clashes with (my/the) {x} | (like/as for) (my/the) {x} |
    (together with/besides) (my/the) {x} | . (The/My) {x} (can wait/stays/is too dear) |
    . I (moved/cancelled) (my/the) {x}
    """),
    openers=phrases("""
    please, | hey, | hi, | ok, | listen, | now | quickly,
    """),
    closers=phrases("""
    Thanks! | Thank you. | Please. | Can you? | Do it.
    """),
)  # fmt: skip
