"""Three label sets of intents: what people ask a bank, an assistant, and their own house.

A class is an object and an action, so every class shares half of its words with others. The
first name of an object is its common one, the others are rare.
"""

from __future__ import annotations

from typing import NamedTuple

from mabench.synthesis.language.wordings import table


class Intents(NamedTuple):
    """A label set: names of each object, and wordings of each action.

    ``{o}`` stands for the object and ``{a}`` for the object with its article. ``before`` and
    ``after`` may be put around a wording, and mean nothing.
    """

    objects: dict[str, tuple[str, ...]]
    actions: dict[str, tuple[str, ...]]
    before: tuple[str, ...]
    after: tuple[str, ...]


_POLITE = (
    "hello, ", "hi there, ", "excuse me, ", "good morning, ", "sorry to bother you, ", "please, ",
    "quick question: ", "I wonder, ", "one more thing: ", "tell me, ", "dear team, ", "hey, ",
)  # fmt: skip

# 11 objects and 7 actions make 77 classes.
BANK = Intents(
    objects=table("""
card: card | bank card | piece of plastic | chip card
transfer: transfer | bank transfer | wire | remittance
payment: payment | purchase | card payment | bill at the till
withdrawal: withdrawal | cash withdrawal | cash request | dispensed sum
top-up: top-up | deposit | loading | reload
refund: refund | reimbursement | repayment | returned sum
direct debit: direct debit | standing order | monthly debit | subscription charge
cheque: cheque | paper cheque | crossed cheque | slip from my aunt
exchange: currency exchange | exchange | conversion | money change
loan: loan | credit | instalment | borrowed sum
savings: savings account | savings pot | nest egg | rainy-day fund
"""),
    actions=table("""
delayed: my {o} has not arrived yet | I am still waiting for the {o} | how long does the {o} take? |
    the {o} is late by {days} days | it has been {days} days and there is no {o} |
    when will the {o} get here?
refused: my {o} was declined | the {o} did not go through at {shop} | why was the {o} refused? |
    {shop} would not accept my {o} | the {o} keeps failing | an error comes up with the {o}
unknown: I do not recognise this {o} | there is {a} from {shop} that is not mine |
    somebody else made this {o} | where does the {o} of {day} come from? |
    I never asked for this {o} | a strange {o} appeared on {day}
wrong amount: the amount of the {o} is wrong | I was charged twice for the {o} |
    why is there a fee on the {o}? | {amount} is missing from the {o} |
    the {o} should be {amount}, and it is not | they took {amount} too much with the {o}
cancel: I want to cancel the {o} | how do I stop my {o}? | please undo the {o} of {day} |
    can I call back the {o}? | I changed my mind about the {o} | the {o} was a mistake, take it back
limit: is there a limit to the {o}? | what is the highest {o} you allow? |
    may the {o} be more than {amount}? | how many times a month is {a} allowed? |
    raise the limit of my {o} | is {amount} too much for {a}?
how to: how do I get {a}? | where in the app can I set up {a}? | what do I need for {a}? |
    I would like my first {o} | explain to me how {a} works | which papers does {a} take?
"""),
    before=_POLITE,
    after=(
        " - I am in {city}", ", and I am rather worried", " since {day}", ", can you help?",
        ", I use the app", " and nobody at {shop} knows why", ", it is urgent", ", thank you",
        ", my name is {person}", ", as I told your colleague on {day}",
    ),
)  # fmt: skip

# 15 objects and 10 actions make 150 classes.
ASSISTANT = Intents(
    objects=table("""
alarm: alarm | wake-up call | morning bell
reminder: reminder | memo | nudge
flight: flight | plane ticket | seat to {city}
table: table | dinner booking | place at {shop}
recipe: recipe | dish | cooking plan
playlist: playlist | list of songs | mixtape
mortgage: mortgage | home loan | house credit
appointment: appointment | visit to the dentist | check-up
parcel: parcel | package | delivery
taxi: taxi | cab | ride to {city}
podcast: podcast | radio show | talk series
workout: workout | training plan | exercise session
shopping list: shopping list | grocery list | list of errands
ticket: train ticket | rail pass | trip by train
insurance: insurance contract | cover note | policy
"""),
    actions=table("""
make: set up a new {o} | I need {a} | get me {a} for {day} | arrange {a} |
    could you make {a} for {person}?
cancel: cancel my {o} | forget about the {o} | I no longer want the {o} | drop the {o} of {day} |
    call off the {o}
move: move my {o} to {day} | change the date of the {o} | put off the {o} by {days} days |
    make the {o} earlier | the {o} must be on {day} instead
list: show me every {o} | which {o} do I have? | read out what I have as {o} |
    is there {a} on {day}? | list each {o} of this week
price: how much is the {o}? | what does {a} cost? | is the {o} worth {amount}? |
    find me a cheaper {o} | can I afford {a}?
share: send the {o} to {person} | let {person} know about the {o} | share my {o} |
    forward the {o} to my sister | pass the {o} on to {person}
rate: what do people say of the {o}? | is the {o} any good? | how is the {o} rated? |
    read me reviews of the {o} | do you recommend this {o}?
length: how long does the {o} take? | when does the {o} end? | what is the duration of the {o}? |
    will the {o} be over by {day}? | how many minutes is the {o}?
repeat: give me the same {o} again | repeat the last {o} | once more the {o} from {day} |
    the usual {o}, please | do the {o} every {day}
explain: what is {a}? | explain the {o} to me | how does {a} work? | why do I need {a}? |
    tell me more about the {o}
"""),
    before=_POLITE,
    after=(
        ", please", ", thanks", " if you can", " right now", ", {person} asked me", " for {day}",
    ),
)  # fmt: skip

# 17 objects and 4 actions make 68 classes.
HOUSE = Intents(
    objects=table("""
lamp: lamp | light | bulb
heating: heating | radiator | heater
radio: radio | wireless | receiver
oven: oven | stove | cooker
blinds: blind | shutter | shade
vacuum: vacuum | hoover | sweeper
coffee machine: coffee machine | espresso maker | percolator
television: television | telly | screen
fan: fan | ventilator | blower
lock: lock | bolt | latch
sprinkler: sprinkler | garden hose | watering
washer: washing machine | washer | laundry drum
siren: alarm siren | siren | burglar alarm
music: music | song list | stereo
gate: garage door | gate | barrier
camera: doorbell camera | camera | peephole
filter: air filter | purifier | humidifier
"""),
    actions=table("""
on: {o} on | start the {o} | switch on the {o} | I want the {o} on | let us have the {o}
off: {o} off | stop the {o} | switch off the {o} | no more {o} | kill the {o}
state: is the {o} on? | check the {o} | what is the {o} doing? | {o} status
later: {o} at {hour} | start the {o} at {hour} | set the {o} for {hour} | {o} every {day}
"""),
    before=("please ", "hey ", "now ", "quickly ", "ok "),
    after=(" upstairs", " in the hall", " please", " now", " in the kitchen", " in the cellar",
           " for {person}", " again", " in the study", " this {day}"),
)  # fmt: skip
