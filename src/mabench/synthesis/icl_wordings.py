"""Utterances of the classification rows: what customers of a bank ask, and quiz questions.

Classes overlap on purpose: the same nouns and verbs turn up in several of them, and only the
whole of a core sentence tells the class. Slots are filled with invented names and with numbers.
"""

from __future__ import annotations

OPENERS = (
    "", "", "Hello, ", "Hi there, ", "Good morning, ", "Sorry to bother you, but ", "Quick one: ",
    "Please help, ", "I need some advice, ",
)  # fmt: skip
CLOSERS = (
    "", "", "", " Thanks.", " Please let me know.", " It is rather urgent.", " I am at a loss.",
    " I bank at the {city} branch.", " This has never happened before.", " I looked in the app.",
)  # fmt: skip

BANKING: dict[str, tuple[str, ...]] = {
    "card not arrived": (
        "when will my new card get here?",
        "I ordered a card on {day} and it has not come yet.",
        "my card should have reached {city} by now.",
        "the post has brought everything but my card.",
        "is there a way to follow my card on its way to {city}?",
    ),
    "card lost": (
        "I left my card in a cab in {city}.",
        "my card is gone, I must have dropped it on {day}.",
        "I cannot find my card anywhere since I was at {shop}.",
        "can you block my card, I have lost it?",
        "somebody walked off with my card at {shop}.",
    ),
    "card not working": (
        "the machine at {shop} will not read my card.",
        "my card is here but it does not work.",
        "the chip of my card seems to be dead since {day}.",
        "why does no till in {city} accept my card?",
        "my card is broken, it fails everywhere.",
    ),
    "card swallowed": (
        "the cash machine in {city} kept my card.",
        "how do I get my card back out of the machine at {shop}?",
        "the machine ate my card on {day}.",
        "my card went into the cash machine and never came out.",
    ),
    "payment declined": (
        "my payment at {shop} was turned down.",
        "why was I refused when I tried to pay {amount} at {shop}?",
        "the till said no to my payment on {day}.",
        "I have money in the account, yet paying {shop} was declined.",
    ),
    "payment pending": (
        "my payment to {shop} still shows as pending.",
        "how long does a payment of {amount} stay pending?",
        "I paid {shop} on {day} and it is not settled yet.",
        "why is the payment to {shop} not final after so many days?",
    ),
    "payment not recognised": (
        "there is a payment of {amount} to {shop} that I never made.",
        "I do not know this payment to {shop}.",
        "somebody has paid {shop} with my money.",
        "what is this payment of {amount} from {day}, it was not me?",
    ),
    "charged twice": (
        "{shop} took {amount} from me two times.",
        "I see the same payment to {shop} twice.",
        "why was I charged double at {shop} on {day}?",
        "one purchase at {shop}, two payments of {amount} in the list.",
    ),
    "extra fee": (
        "why was a fee added when I paid {shop}?",
        "there is a small charge on top of my payment of {amount}.",
        "I was charged extra at {shop}, what is it for?",
        "nobody told me of a fee of {amount}.",
    ),
    "refund missing": (
        "{shop} promised me a refund and I cannot see it.",
        "where is my refund of {amount}?",
        "I sent the goods back to {shop} on {day} and wait for the refund.",
        "how long does a refund from {shop} take to show?",
    ),
    "transfer pending": (
        "my transfer of {amount} has not reached {person}.",
        "I sent money to {person} on {day} and it is still not there.",
        "how long does a transfer to {city} take?",
        "why does the transfer to {person} take so long?",
    ),
    "transfer failed": (
        "my transfer to {person} was sent back.",
        "the app will not let me transfer {amount} to {person}.",
        "why did my transfer to {person} fail?",
        "an error comes up whenever I transfer money to {city}.",
    ),
    "transfer cancel": (
        "I transferred {amount} to the wrong person, can I stop it?",
        "please cancel the transfer that I made to {person}.",
        "how do I take back a transfer from {day}?",
        "can a transfer to {person} be reversed?",
    ),
    "wrong cash amount": (
        "the cash machine in {city} gave me less than I asked for.",
        "I asked for {amount} in cash and got only half of it.",
        "the machine at {shop} counted out the wrong sum.",
        "not all of my cash came out on {day}.",
    ),
    "cash limit": (
        "how much cash may I take out in a day?",
        "is {amount} more than I can withdraw at once?",
        "is there an upper limit for cash in {city}?",
        "can I withdraw more than {amount} on a {day}?",
    ),
    "exchange rate": (
        "which rate do you use when I pay abroad?",
        "the exchange rate for my payment at {shop} looks wrong.",
        "how do you work out the rate for cash in {city}?",
        "I got a bad rate when I changed {amount} on {day}.",
    ),
    "change address": (
        "I have moved to {city}, how do I tell you?",
        "please send my letters to my new place in {city}.",
        "where in the app do I enter my new address?",
        "I will live elsewhere from {day}, what must I do?",
    ),
    "forgot code": (
        "I cannot remember the code of my card.",
        "how do I set a new code, the old one has slipped my mind?",
        "I typed the wrong code three times at {shop}.",
        "my card is locked because I forgot its code.",
    ),
    "verify identity": (
        "why do you want a picture of my passport?",
        "how do I prove that I am {person}?",
        "my papers were rejected on {day}, what else can I show you?",
        "the app does not believe that I am who I am.",
    ),
    "close account": (
        "I want to leave the bank, how do I do that?",
        "please close my account by {day}.",
        "how can I delete my account with you?",
        "what happens to my {amount} when I end my account?",
    ),
}  # fmt: skip

QUIZ: dict[str, tuple[str, ...]] = {
    "abbreviation": (
        "What does {letters} stand for?",
        "What is the full form of {letters}?",
        "{letters} is short for what?",
        "What do the letters {letters} mean on the seal of {body}?",
        "How is the name of {body} usually shortened?",
    ),
    "description": (
        "Why did {person} leave {city}?",
        "How is the game of {game} played?",
        "What caused the great fire of {city}?",
        "What does the word {game} mean?",
        "How did {person} become rich?",
        "What is the purpose of {body}?",
    ),
    "entity": (
        "What instrument did {person} play?",
        "Which animal stands on the seal of {city}?",
        "What colour is the flag of {country}?",
        "What novel made {person} famous?",
        "Which sport do most people in {city} follow?",
        "What dish is {country} known for?",
    ),
    "human": (
        "Who founded {body}?",
        "What is the name of the mayor of {city}?",
        "Which architect built the town hall of {city}?",
        "Who taught {person} to play {game}?",
        "Who won the last championship in {game}?",
        "Which family owns {body}?",
    ),
    "location": (
        "Where was {person} born?",
        "What city is the seat of {body}?",
        "In which country does {city} lie?",
        "Which river flows through {city}?",
        "Where is the game of {game} most popular?",
        "What is the capital of {country}?",
    ),
    "number": (
        "When was {body} founded?",
        "How many people live in {city}?",
        "How old was {person} at the start of the war?",
        "What is the length of a match of {game}?",
        "How much does a ticket from {city} to the coast cost?",
        "In what year did {person} move to {city}?",
    ),
}
