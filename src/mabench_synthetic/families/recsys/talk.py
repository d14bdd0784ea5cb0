"""What two people say to each other about films: greetings, wishes, offers and replies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from mabench_synthetic.families.recsys.catalogue import Film
from mabench_synthetic.language.english import listed
from mabench_synthetic.language.wordings import table

_SYSTEM_FIRST = 0.6  # How often the one who recommends opens a dialogue.
_CHATS = 0.5  # How often they ask after each other first,
_SAYS_TASTE = 0.85  # the user names a taste,
_TWO = 0.25  # two films are offered at once,
_NAMES_ANOTHER = 0.3  # a reply names a film itself,
_LAST_WORD = 0.5  # and the user has the last word.
_LIKED = ((0, 1, 2), (30, 45, 25))  # Films that the user names at first, by how often.
_LINES = table("""
greeting: Hello! | Hi there. | Good evening! | Welcome back! | Hey, how can I help you? |
    Good day to you. | Hi, nice to meet you!
reply: Hello! | Hi. | Hey! | Good evening. | Hi, I could do with some help. | Hello there.
how: How are you doing today? | How has your day been so far? | Everything well with you? |
    Did you have a good weekend?
fine: I am doing well, and you? | Not bad, a little tired from work. |
    Very well, thank you for asking. | It has been a long week, so I need a quiet evening. |
    Good, the children are asleep at last.
question: What kind of films do you like? | What are you in the mood for tonight? |
    Tell me about some films that you enjoyed. | Shall we find you something to watch? |
    Which films have you seen lately that were any good? |
    So what are you looking for, something old or something new? | Any favourites I should know of?
taste: I am looking for {taste}. | I usually watch {taste}. | Do you know any good {taste}? |
    I like {taste} best of all. | My wife and I are fond of {taste}. |
    These days it is mostly {taste} for me. | I could watch {taste} all day long.
anything: I am open to anything really. | I do not mind what it is, as long as it is good. |
    Something to watch with a friend would be nice. | Surprise me, I have all night.
likes: I could watch {films} every week. | Of late I saw {films} and had a good time. |
    Lately I enjoyed {films} a lot. | Something like {films} would be great. |
    I really liked {films}. | {films} can always cheer me up. | I grew up with {films}.
offer: Have you seen {films}? I think you would like it. | Then {films} might be for you. |
    People keep telling me good things about {films}. | You could try {films} next. |
    How about {films}? It had me on the edge of my seat. | I can recommend {films}. |
    I watched {films} with my sister and we both loved it. | Maybe {films}? That is a good one. |
    {films} comes to mind, the acting is very strong. | Did you ever get around to {films}?
seen: Yes, I have seen it and I loved it. What else is there? |
    That was wonderful, I know it by heart. Do you have another one? |
    That one I have seen already, and I liked it. Any other ideas? |
    Oh yes, that is a good one. | I saw that years ago, I should watch it again some time.
unseen: No, I have not seen that one, what is it about? | I have never heard of it, tell me more. |
    I have been meaning to watch that, it looks interesting. | Not yet, but I will look it up. |
    I missed it when it came out. Is it any good?
refusal: I do not think that is for me. Something else? | No, I would rather see another one. |
    I have heard of it, and it does not appeal to me. | It was all right, but a bit too long for me.
another: It makes me think of {film}. | I watched {film} last week. |
    My brother keeps talking about {film}. | I have {film} on my list already. |
    Is it anything like {film}? | A friend gave me {film} for my birthday.
thanks: That sounds perfect, thank you. | I will watch that tonight, thanks a lot! |
    Great, I will give them a try. | Thank you for all the ideas. | You have been a great help.
farewell: Enjoy the film! | You are welcome, have a good night. | My pleasure, goodbye. |
    I hope you like it. Bye! | Have a nice evening!
bye: Bye! | You too, goodbye. | Good night! | Take care.
""")


def talk(rng: Random, taste: str, films: Sequence[Film]) -> Iterator[str]:
    """Yield the turns of a whole dialogue that names ``films`` in their order."""
    if rng.random() < _SYSTEM_FIRST:
        yield f"System: {_line(rng, 'greeting')}"
    *turns, last = _turns(rng, taste, films)
    yield from turns
    yield f"{last} {_line(rng, 'thanks')}"
    yield f"System: {_line(rng, 'farewell')}"
    if rng.random() < _LAST_WORD:
        yield f"User: {_line(rng, 'bye')}"


def opened(rng: Random, taste: str, films: Sequence[Film]) -> str:
    """Return a dialogue that names ``films`` in their order and waits for a recommendation."""
    return "\n" + "\n".join([*_turns(rng, taste, films), "System: "])


def _turns(rng: Random, taste: str, films: Sequence[Film]) -> Iterator[str]:
    """Yield turns by turns, the user's first and last."""
    yield f"User: {_line(rng, 'reply')}"
    if rng.random() < _CHATS:
        yield f"System: {_line(rng, 'how')}"
        yield f"User: {_line(rng, 'fine')}"
    yield f"System: {_line(rng, 'question')}"
    [liked] = rng.choices(*_LIKED)
    yield f"User: {_wish(rng, taste, films[:liked])}"
    left = list(films[liked:])
    while left:
        count = 2 if rng.random() < _TWO else 1
        offered, left = left[:count], left[count:]
        yield f"System: {_line(rng, 'offer', films=_titles(offered))}"
        reply = _line(rng, rng.choice(("seen", "seen", "unseen", "refusal")))
        if left and rng.random() < _NAMES_ANOTHER:
            reply += f" {_line(rng, 'another', film=left.pop(0))}"
        yield f"User: {reply}"


def _wish(rng: Random, taste: str, liked: Sequence[Film]) -> str:
    """Return what the user asks for: a taste, films that were liked, or anything."""
    said = [_line(rng, "taste", taste=taste)] if rng.random() < _SAYS_TASTE else []
    if liked:
        said.append(_line(rng, "likes", films=_titles(liked)))
    return " ".join(said) or _line(rng, "anything")


def _titles(films: Sequence[Film]) -> str:
    return listed([str(film) for film in films])


def _line(rng: Random, kind: str, **slots: object) -> str:
    return rng.choice(_LINES[kind]).format(**slots)
