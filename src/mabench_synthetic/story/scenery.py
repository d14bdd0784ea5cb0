"""Sentences that set a scene or close one, and say nothing that a question could ask.

Their parts vary independently: there are about five thousand of each, so a long story rarely
repeats itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from mabench_synthetic.language.wordings import table

_PARTS = table("""
when: Towards evening | Early that morning | By noon | After the midday meal | A day later |
    Before the shops had opened | When the lamps were lit | In the middle of the week |
    Not long after sunrise | On the last day of the month | While the church clock struck |
    As the tide turned | In the hour before supper | Some days later
weather: the rain had stopped | a cold wind came down from the hills | fog lay on the river |
    snow fell in large slow flakes | the heat had emptied the streets | the sky had cleared |
    frost whitened the ruts in the road | a warm haze hung over the fields |
    thunder grumbled beyond the ridge | a thin drizzle had set in | the air was quite still |
    clouds hung low over the chimneys | the first leaves were turning | hail rattled down |
    a gale took tiles from the roofs | the puddles were drying
sight: steam rose from the roofs | carts stood three deep along the wall |
    two old men argued about the harvest | children were sailing paper boats in the gutter |
    a dog barked and another answered | swallows gathered on the ridge of the barn |
    a smell of tar and fresh bread hung over the quay | a barge lay aground by the weir |
    somebody was practising scales on a piano | washing flapped on every line |
    the fishmonger was counting the day's takings | a goose had got loose among the stalls |
    smoke from the brickworks drifted over the roofs | the bell rang for a wedding |
    a pedlar had spread brushes and buttons on a blanket | boys were throwing chestnuts |
    a line of wagons waited at the weighhouse | the lamplighter was late on the rounds |
    three women were mending a net | a cat slept on the warm step of the bakery |
    the stage coach had lost a wheel | a choir was rehearsing behind closed shutters
who: A neighbour | The postman | An old woman at the pump | The baker | One of the ferrymen |
    The chemist's apprentice | A passing carter | The night watchman | A child with a hoop |
    The organist | Somebody at a window | The barber | A pair of hay sellers | The clerk
reaction: saw it and said nothing | drew conclusions that were not quite right | laughed out loud |
    kept the news for a better occasion | looked on with a mouthful of apple |
    told it all over again at supper | took no notice | made a note on the back of a bill |
    thought that this could not end well | had expected no less | hurried past |
    forgot it within the hour | would remember it for years | asked what the fuss was about
after: and the kettle boiled over | and the talk turned to the weather |
    and by the next morning half the street had a version of it |
    and a cat walked across the yard as though it owned the place | and the last light went out |
    and then the road was empty again | and nobody could have said that it was wise |
    and the rest had troubles of their own | and a door was closed more firmly than it need be |
    and somewhere a clock struck the quarter | and that was all that was said about it |
    and the moment passed, as such moments do | and it lost nothing in the telling |
    and the fire was raked for the night | and the price of coal went up in spite of it |
    and what came of it would be seen soon enough
aside: Such things are soon told and slowly forgotten |
    It was hard to say afterwards who had been more surprised | There was a long silence |
    It made a good story for the winter |
    Had anyone asked for reasons, there would have been several
""")


def scene(rng: Random) -> str:
    """Return a sentence to open a scene with."""
    return "{} {}, and {}.".format(*_parts(rng, "when", "weather", "sight"))


def closing(rng: Random) -> str:
    """Return a sentence to close a scene with."""
    if rng.random() < 0.15:
        return "{}, {}.".format(*_parts(rng, "aside", "after"))
    return "{} {}, {}.".format(*_parts(rng, "who", "reaction", "after"))


def _parts(rng: Random, *names: str) -> Iterator[str]:
    return (rng.choice(_PARTS[name]) for name in names)
