"""Two label sets of question types: six coarse ones, and the fifty that refine them.

The types are those of the field's best known scheme (Li and Roth, 2002); the wordings are ours.
"""

from __future__ import annotations

from mabench.synthesis.language.wordings import table

# Coarse type to fine type to wordings.
QUESTIONS = {
    "abbreviation": table("""
short form: How is the name of {body} usually shortened? |
    What is the common abbreviation of {body}? | Which letters stand for {body}?
full form: What does {letters} stand for? | What is {letters} short for? |
    What do the letters {letters} mean on the seal of {body}?
"""),
    "description": table("""
definition: What is a {game}? | What does the word {game} mean? |
    What do people in {city} call a {game}?
account: What is {person} known for? | What is the history of {body}? |
    What happens at the spring fair of {city}?
manner: How is {game} played? | How did {person} become rich? | How does one join {body}? |
    How do you get from {city} to the sea?
reason: Why did {person} leave {city}? | What caused the great fire of {city}? |
    Why was {body} closed? | What made {person} give up {game}?
"""),
    "entity": table("""
animal: Which animal stands on the seal of {city}? | What bird is kept by {person}? |
    What kind of fish lives in the lake of {city}?
body: Which part of the body did {person} break? | What organ do they cure in {city}? |
    Which limb does {game} strain the most?
colour: What colour is the flag of {country}? | What are the colours of {body}? |
    In which colour is the town hall of {city} painted?
creation: What novel made {person} famous? | Which film was shot in {city}? |
    What is the title of the hymn of {country}?
currency: What money is used in {country}? | Which currency did {country} have before? |
    In what coin are wages paid in {city}?
disease: Of which illness did {person} die? | What disease struck {city} that winter? |
    What sickness do players of {game} fear?
event: Which battle was fought near {city}? | What festival is held in {country}? |
    In which war did {person} serve?
food: What dish is {country} known for? | What did {person} eat every morning? |
    Which cake is baked in {city}?
instrument: What instrument did {person} play? | Which instrument leads the band of {city}? |
    What do the musicians of {body} play?
language: What language is spoken in {country}? | In which tongue did {person} write? |
    Which language is taught at {body}?
letter: Which letter does {city} begin with? | What letter marks cars from {country}? |
    Which vowel is missing in the anthem of {city}?
other: What lies under the market of {city}? | What did {person} leave on the train? |
    What is given to guests of {body}?
plant: Which flower grows on the hills of {country}? | What tree stands in front of {body}? |
    What plant did {person} bring to {city}?
product: What does {body} make? | Which goods does {country} sell abroad? |
    What is produced in the works of {city}?
religion: To which faith does {person} belong? | What religion do most of {country} have? |
    Which church has its seat in {city}?
sport: Which sport do most people in {city} follow? | What did {person} play for {country}? |
    In what sport does {body} compete?
substance: What metal is mined near {city}? | Of what stone is {body} built? |
    Which gas did {person} discover?
symbol: What is the emblem of {body}? | Which sign stands for {country} on maps? |
    What symbol did {person} wear?
technique: What method did {person} use to paint? | Which technique wins at {game}? |
    By what process does {body} make glass?
term: What is a player of {game} called? | What is the word for people from {city}? |
    What do they call the head of {body}?
vehicle: In what kind of ship did {person} sail? | What vehicle carries the mail of {city}? |
    Which car did the police of {country} drive?
word: Which word of {country} has no vowels? | What word did {person} always misspell? |
    What is the last word of the oath of {body}?
"""),
    "human": table("""
group: Which family owns {body}? | What team won the cup in {city}? |
    Which company built the harbour of {city}?
individual: Who founded {body}? | What is the name of the mayor of {city}? |
    Who taught {person} to play {game}?
title: What was the rank of {person} in the army? | What office does {person} hold? |
    What is the profession of {person}?
portrait: Who was {person}? | Who is {person} of {city}? | Who exactly was {person}?
"""),
    "location": table("""
city: What city is the seat of {body}? | What is the capital of {country}? |
    In which town was {person} born?
country: In which country does {city} lie? | From what country does {game} come? |
    Which country did {person} flee to?
mountain: What is the highest mountain of {country}? | Which peak did {person} climb? |
    What hill overlooks {city}?
place: Where was {person} buried? | Where is {game} most popular? |
    Which river flows through {city}?
region: In which province is {city}? | What region of {country} grows wine? |
    Which county does {body} serve?
"""),
    "number": table("""
code: What is the postal code of {city}? | What is the telephone number of {body}? |
    Which number did {person} have on the shirt?
count: How many people live in {city}? | How many members does {body} have? |
    How many players does {game} take?
date: When was {body} founded? | In what year did {person} move to {city}? |
    On which day does {country} celebrate?
distance: How far is it from {city} to the coast? | How far did {person} walk that day? |
    How wide is the bridge of {city}?
money: How much does a ticket from {city} cost? | What did {person} earn at {body}? |
    What is the price of a house in {city}?
order: What place did {person} take in the race? | Which in line was {person}? |
    In which rank did {body} finish?
other: What is the chance of rain in {city}? | What was the score of the {game} final? |
    What figure did {person} name as proof?
period: How long does a match of {game} last? | How old was {person} in the war? |
    For how many years has {body} existed?
percent: What share of {country} is forest? | What percentage voted for {person}? |
    Which part of its income does {body} give away?
speed: How fast is the tram of {city}? | At what speed did {person} win? |
    How quickly does the ball fly in {game}?
temperature: How cold does it get in {city}? | What is the mean temperature of {country}? |
    How hot is the furnace of {body}?
size: How large is {country}? | What is the area of {city}? | How big is the field for {game}?
weight: How heavy is the bell of {city}? | What did {person} weigh? |
    How much does a ball for {game} weigh?
"""),
}
BEFORE = (
    "Tell me: ", "Quickly, ", "For a quiz: ", "My friend asks: ", "One for you: ", "Once more: ",
)  # fmt: skip
AFTER = (
    " I forgot.", " It is for {person}.", " I read it in {city}.", " Nobody at {body} knew.",
    " It came up on {day}.", " I ought to know.",
)  # fmt: skip
