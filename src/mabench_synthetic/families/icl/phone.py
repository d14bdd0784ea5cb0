"""What customers ask their telephone company: one narrow field, whose things share words."""

from __future__ import annotations

from mabench_synthetic.families.icl.intents import Intents
from mabench_synthetic.language.wordings import phrases, table

PHONE = Intents(
    things=table("""
SIM: SIM card | SIM | chip for the phone | little card that goes into the phone
calling card: calling card | prepaid card | card for calls | card with the scratch code
credit: call credit | prepaid credit | credit for calls | balance of the prepaid phone
data: data plan | mobile internet | data allowance | internet on the phone | monthly volume
family: family plan | shared plan | plan for the four of us | family contract
handset: new phone | handset | mobile | device from your shop | telephone from the offer
number: phone number | old number | mobile number | number that everybody knows
landline: home phone | landline | fixed line | phone line in the house
router: home internet | router | wireless box | internet line | wifi
bill: phone bill | monthly bill | invoice | statement | paper with the costs
refund: refund | credit note | repayment | money back
roaming: roaming pass | travel pass | pass for calls abroad | data abroad
insurance: phone insurance | device cover | cover for the screen | insurance plan
voicemail: voicemail | mailbox | answering machine | message box
account: account | online account | login | access to the app
"""),
    needs=table("""
late: (my/the) {o} (has not/hasn't) (arrived/come/turned up) (yet/) |
    (my/the) {o} (did not/didn't) (arrive/come) | (I am/I'm) (still/) waiting for (my/the) {o} |
    where (is/on earth is) my {o} | (my/the) {o} is (late/overdue/delayed) |
    (I should have/you promised me) (my/the) {o} by (now/{day}) |
    it has been {span} and there is (still/) no {o} | (still/) no (sign/trace) of (my/the) {o} |
    why does (my/the) {o} take so long? | (I have/I've) (not/never) (got/received) (my/the) {o} |
    when (am I going to/will I) (get/see/have) (my/the) {o}? |
    (can you/please) (find out/check) what became of my {o} |
    (my/the) {o} (got lost/went missing) on the way
duration: how long (does/will) (a/the/my) {o} take? |
    how many days until (I have/I get) (the/my) {o}? |
    (what is/what's) the (usual/normal) (waiting time/wait) for (the/a) {o}? |
    when (can/may) I expect (the/a) {o}? | how soon would (the/a) {o} be ready? |
    (will/would) (the/a) {o} be (here/there/active) (by/before) {day}? |
    (do I/will I) (get/have) (the/a) {o} (the same day/at once/right away)? |
    (is there/do you have) a (date/day) for (my/the) {o}? |
    (can/could) (the/my) {o} be sent (faster/sooner)? |
    which day does (the/my) {o} (start/come)? | after how many days is (the/a) {o} (valid/active)?
fails: (my/the) {o} (does not/doesn't/won't/will not) work |
    (my/the) {o} is (broken/dead/down/faulty) |
    (my/the) {o} (keeps failing/stopped working/cuts out) |
    (I get/there is) an error with (my/the) {o} | I (cannot/can't) (use/open/reach) (my/the) {o} |
    why (is/was) (my/the) {o} (blocked/rejected/refused)? |
    (how do I/can you) (fix/repair/unblock) (my/the) {o}? |
    (nothing/not much) happens (with/when I try) (my/the) {o} |
    (my/the) {o} (was/got) (declined/rejected) |
    (my/the) {o} (is not/isn't) (recognised/accepted) |
    (my/the) {o} (worked/was fine) until {day} |
    (what is/what's) (wrong/the matter) with (my/the) {o}? |
    no (signal/connection) with (my/the) {o}
price: how much is (the/a) {o}? | what does (the/a) {o} cost? |
    (is there a fee/are there extra costs) for (the/a) {o}? |
    (what is/what's) the (price/fee/charge) (of/for) (the/a) {o}? |
    (do I/must I/will I have to) pay for (the/a) {o}? | is (the/a) {o} free (of charge/)? |
    what (will/would) you charge (me/) for (the/a) {o}? |
    (any/is there a) discount on (the/a) {o}? | how expensive is (the/a) {o}? |
    (can/could) I get (the/a) {o} (cheaper/for less)? |
    (does/will) (the/a) {o} cost (anything/extra)? | what is (the cheapest/your cheapest) {o}? |
    I want (the/a) {o} without (costs/a fee)
charged: (I was/you) charged (twice/double/too much) for (my/the) {o} |
    (why was I/why am I) charged for (the/my) {o}? |
    (there is/I see) (a strange/an unknown/a wrong) charge for (the/a) {o} |
    you took (too much/{number} too much) for (my/the) {o} |
    (the fee/the amount/the price) for (my/the) {o} is (wrong/not right) |
    I (never/did not) (ordered/asked for/order) (a/the) {o} |
    (I do not/I don't) (know/recognise) (this/the) {o} |
    why did I pay (extra/twice/a fee) for (my/the) {o}? |
    (who/somebody else) (ordered/used) (the/a) {o} in my name |
    (what is/what's) this (extra/) (charge/fee) on (my/the) {o}? |
    I (already/) paid for (the/my) {o} (once/last month) |
    the (cost/price) of (my/the) {o} went up
cancel: (I want to/I'd like to/how do I) (cancel/end/stop) (my/the) {o} |
    (please/) (cancel/stop) (my/the) {o} | (I no longer/I don't) (want/need) (my/the) {o} |
    I changed my mind about (the/my) {o} |
    (can I/may I) (return/send back/give up) (my/the) {o}? | take (the/my) {o} (back/off) |
    (get rid of/remove/delete) (my/the) {o} |
    (the/my) {o} was (a mistake/an error), (undo it/take it back) |
    is it too late to (cancel/stop) (the/my) {o}? | (how/when) can I get out of (my/the) {o}? |
    I (am leaving/want to leave), (close/end) my {o} |
    what if I (do not/don't) (want/keep) (the/my) {o}?
change: (can I/how do I/I want to) (change/swap/switch) (my/the) {o} |
    I (want/need) (a different/another/a bigger) {o} |
    (can I/may I) (upgrade/replace) (my/the) {o}? |
    (is it possible to/please) (move/transfer) my {o} to (my wife/somebody else) |
    (I want/give me) another {o}, the old one is broken |
    (my/the) {o} should be in (another/my husband's) name | (exchange/replace) my {o} |
    make (my/the) {o} (bigger/smaller/cheaper) |
    (can/could) you (edit/alter/update) (my/the) {o}? | I (lost/broke) my {o} and need another |
    what if I want another {o} (later/)? | (can/may) I keep (the/my) {o} when I (move/change)?
obtain: how (do/can) I (get/order/obtain) (a/the) {o}? | (I would/I'd) like (a/my first) {o} |
    (where/how) (can/do) I (set up/apply for/buy) (a/the) {o}? |
    I (want/need) (a/an extra/a second) {o} |
    (can I/may I) (have/get/order) (a/another/a second) {o}? |
    (what do I need/which papers do I need) for (a/the) {o}? |
    (please/) (send/give) me (a/the) {o} | (sign me up for/set me up with) (a/the) {o} |
    (how does/explain how) (a/the) {o} work? | do you (offer/have/sell) (a/any) {o}? |
    who can (get/have) (a/the) {o}? | (activate/start/switch on) (my/the) {o} |
    (how do I/where do I) (activate/start) (my/the) {o}?
limit: is there a (limit/cap) (on/to) (the/my) {o}? |
    (what is/what's) the (most/maximum) for (the/my) {o}? |
    how (much/many times) (can/may) I use (the/my) {o}? | (raise/lower) the limit (of/on) my {o} |
    (how many people/who else) (can/may) use (my/the) {o}? | (can/does) (my/the) {o} run out? |
    (have I/did I) (reached/reach) the (limit/end) of my {o}? |
    where (can/may) I use (the/my) {o}? | in which countries does (the/my) {o} work? |
    how (old/long) (may/can) (the/a) {o} be? |
    (can/could) I use (the/my) {o} (more often/every day/without end)? |
    how much is left (of/on) my {o}?
show: where (do I/can I) (see/find/check) (my/the) {o}? | (show/send) me (my/the) {o} |
    I (cannot/can't) (see/find) (my/the) {o} | (what is/what's) (on/in) my {o}? |
    (how do I/how can I) (read/look at) (my/the) {o}? | (which/what) {o} do I have? |
    (is/isn't) (my/the) {o} (active/in your books)? | (can/could) you (tell me/look up) my {o}? |
    the app (does not/doesn't) show my {o} | I (forgot/do not know) my {o} |
    what does (my/the) {o} (say/contain)? | (could I/may I) have a (copy/list) of my {o}? |
    I (do not/don't) understand (my/the) {o}
"""),
    vague_things=("order", "thing", "request", "service", "thing I asked for", "product"),
    vague_needs=phrases("""
    (I have/there is) a (problem/question/thing) with my {o} |
    (what about/something about) (my/the) {o} |
    (can you/please) (help me with/look at) (my/the) {o} | my {o}, (again/please/as always) |
    (it is/I write) about (my/the) {o} | (what is/what's) going on with (the/my) {o}? | {o} help |
    I am not happy with (the/my) {o}
    """),
    details=phrases("""
    since the last update | after I moved (house/) | while I was on holiday | at the airport |
    in the shop on {day} | on my (sister's/mother's) phone | for my (daughter/son) |
    for my (wife/husband) | for work | from abroad | in the app | on your website |
    for the (second/third) time | {span} ago | before {day} | with my old contract |
    as a student | at night | on the train | in the cellar | when I restart | after the storm |
    since {day} | this morning | last night | through my bank | with my (tablet/watch) |
    in the new flat | in the country | for a friend | during the weekend |
    after a call with your colleague | without a password | over the counter | by post |
    at my parents' place | for the office | on two devices | from my laptop | (next/last) month |
    after my birthday | in the mountains | with the free offer | under my maiden name |
    in winter | after the repair | at the new address | while I travel | for three people |
    on a ship | near the border | without leaving home | by text message | in English |
    after the thunderstorm | from a friend | (every/each) month | since I changed banks |
    before my trip | despite the letter | on short notice | at the weekend | within the contract
    """),
    before_another=phrases("""
    (my/the) {x} (works/is fine/is all right), but | I (already have/just got) (a/the) {x} and |
    (apart from/besides) the {x}, |
    (first the/after the) {x} (failed/came late/was refused), and now |
    (it is not about/never mind) the {x}, | I (cancelled/changed/paid) (my/the) {x}, and |
    now that (I have/there is) (a/the) {x}: | (as/like) (with/for) the {x}, |
    you (sent/showed) me (the/a) {x}, but
    """),
    after_another=phrases("""
    , not (the/my) {x} | , (unlike/and not) (my/the) {x} | , (just/exactly) like (the/my) {x} |
    (together with/besides) (the/my) {x} | (instead of/rather than) (the/my) {x} |
    , while (the/my) {x} (works/arrived/is free) | . (The/My) {x} (works/came at once/is fine) |
    . I (cancelled/paid for/changed) (the/my) {x} (before/) |
    . Nothing is wrong with (the/my) {x} | when I (use/order/cancel) (the/my) {x} |
    because of (the/my) {x}
    """),
    openers=phrases("""
    hello, | hi, | hi there, | excuse me, | good morning, | please tell me, | hey, | sorry, |
    quick question: | I wonder,
    """),
    closers=phrases("""
    Please help. | Thanks! | Thank you. | It is urgent. | Can you help? | Any idea? |
    I am worried. | This is annoying. | Let me know. | What now?
    """),
)  # fmt: skip
