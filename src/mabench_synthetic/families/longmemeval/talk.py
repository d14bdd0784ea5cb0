"""Small talk of a user with an assistant: requests for advice, and advice.

Requests and advice are built from parts that vary independently, so a long history rarely
repeats itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from mabench_synthetic.language.english import sentence
from mabench_synthetic.language.wordings import table

_OPENINGS = (
    "", "", "Another question: ", "Since we talk so often: ", "You may laugh, but ", "Well, ",
    "I have been wondering: ", "My sister wants to know: ", "Before I forget: ", "Tell me, ",
)  # fmt: skip
_CIRCUMSTANCES = (
    "", "", " I have asked around, and nobody could tell me.", " I have about an hour.",
    " I would rather not spend much on it.", " Last year it went quite wrong.",
    " My father always did it by feeling.", " Be honest, please.", " I am quite new to this.",
    " There is no hurry.", " I tried it once and gave up.", " I want to do it properly this time.",
)  # fmt: skip
_GREETINGS = (
    "", "", "Gladly. ", "Good question. ", "There is more than one answer. ", "Let me think. ",
    "Here is what usually works. ", "Many people ask this. ", "It depends, but not on much. ",
)  # fmt: skip
_LEADS = (
    "", "", "As a rule: ", "To begin with: ", "If you have the time: ", "Old hands say: ",
    "One thing is often forgotten: ", "It sounds odd, but it is true: ", "Above all: ",
    "Next: ", "For a lasting result: ", "When in doubt: ", "A small trick: ",
)  # fmt: skip
_REASONS = (
    "", "", " You will notice the difference within a week.", " It costs next to nothing.",
    " Most people learn this too late.", " The rest is a matter of habit.",
    " This is worth the trouble.", " Do not expect wonders on the first day.",
    " Start small and see how it goes.", " It is easier than it sounds.",
    " Some would disagree, but not many.", " Give it a fair trial first.",
    " You can always change your mind later.", " Write down what you did.",
)  # fmt: skip
_FEWEST, _MOST = 4, 7


def small_talk(rng: Random) -> Iterator[tuple[str, str]]:
    """Yield requests with the advice for them, all on one topic, without end."""
    texts = rng.choice(list(_TOPICS.values()))
    asks = [text for text in texts if text.endswith("?")]
    tips = [text for text in texts if not text.endswith("?")]
    while True:
        yield _request(rng, rng.choice(asks)), _advice(rng, tips)


def _request(rng: Random, ask: str) -> str:
    opening = rng.choice(_OPENINGS)
    if opening.endswith((", ", "but ")):
        ask = ask[0].lower() + ask[1:] if not ask.startswith("I ") else ask
    return f"{opening}{ask}{rng.choice(_CIRCUMSTANCES)}"


def _advice(rng: Random, tips: list[str]) -> str:
    chosen = rng.sample(tips, rng.randint(_FEWEST, _MOST))
    return rng.choice(_GREETINGS) + " ".join(_tip(rng, tip) for tip in chosen)


def _tip(rng: Random, tip: str) -> str:
    lead = rng.choice(_LEADS)
    return sentence(f"{lead}{tip[0].lower() + tip[1:] if lead else tip}{rng.choice(_REASONS)}")


# By topic: what the user asks, which ends with a question mark, and pieces of advice.
_TOPICS = table("""
garden: What should I do in the garden this month? | Why do my beans turn yellow? |
    How often should I water a new hedge? | Is it too late to sow spinach? |
    Loosen the soil before you sow anything. | Water early in the day, and the roots only. |
    A layer of straw keeps the moisture in. | Yellow leaves often mean too much water. |
    Cut back what has flowered already. | Nets keep pigeons off young leaves. |
    Compost should smell of forest, not of kitchen. | Give climbing plants a firm support.
kitchen: How do I keep a soup from tasting flat? | What can I do with stale bread? |
    Why does my dough not rise? | How should I store fresh herbs? |
    A little vinegar at the end wakes up a soup. | Toast stale bread and crush it. |
    Dough needs warmth and patience. | Wrap herbs in a damp cloth. |
    Salt in small steps and taste each time. | A heavy pan heats more evenly. |
    Let meat rest before you carve it. | Old yeast is the usual suspect.
travel: What should I pack for a walking tour? | How do I find quiet places to stay? |
    Is it wise to travel without a plan? | How can I sleep better in a train? |
    Two pairs of socks are worth a second coat. | Ask where the locals take their guests. |
    Leave one day in four without any plan. | Carry copies of your papers. |
    Earplugs weigh nothing and help a lot. | A paper map needs no battery. |
    Eat where there is no picture of the food. | Book the first night and no more.
money: How do I keep track of small expenses? | Should I save or pay off a loan first? |
    How large should a reserve be? | What is a sensible budget for presents? |
    Write down every sum for one month. | Pay the most expensive loan first. |
    Keep three months of expenses at hand. | Set aside a fixed part on payday. |
    Compare prices by weight, not by packet. | Cancel what you have not used in a year. |
    A list keeps you from buying on a whim. | Look at the yearly cost of any contract.
photography: How do I photograph people who are shy? | Which light is best for old buildings? |
    Why are my pictures of birds blurred? | How can I sort thousands of pictures? |
    Talk first and take the picture later. | Low light from the side shows the texture. |
    A short exposure freezes a wing. | Delete without mercy on the same evening. |
    Move closer before you zoom. | Watch the edges of the frame. | Use a rest for long lenses. |
    One good picture a day is plenty.
music: How long should I practise each day? | How do I learn a piece by heart? |
    What can I do against stage fright? | Is an old violin worth repairing? |
    Twenty minutes each day beat two hours on Sunday. | Begin with the last line. |
    Play for one friend before you play for many. | Breathe out longer than you breathe in. |
    Slow practice is fast progress. | Ask a maker for an estimate first. |
    Sing the line before you play it. | Record yourself and listen a day later.
home: How do I get a draughty window tight? | What helps against moths? |
    How can I make a small room look larger? | Why does my door stick in summer? |
    A strip of felt stops most draughts. | Cedar wood keeps moths at a distance. |
    A mirror opposite the window adds depth. | Wood swells when the air is damp. |
    Mark the spot with chalk and plane a little. | Light colours on the ceiling help. |
    Air the rooms briefly and fully. | Check the seals before you call anyone.
fitness: How do I start running after a long break? | What helps against a stiff neck? |
    How much sleep do I need before a race? | Should I stretch before or after? |
    Walk and run in turns for a month. | Roll the shoulders every hour. |
    The night before last counts most. | Stretch gently when you are warm. |
    Add a tenth each week and not more. | Pain is a message, soreness is not. |
    Shoes wear out sooner than they look. | A walk after dinner does wonders.
""")
