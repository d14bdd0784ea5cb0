"""Sketches: what holds much of another text is told from what does not."""

from random import Random

from mabench.text import share_text, sketch_text


def story(seed: int, sentences: int) -> list[str]:
    random = Random(seed)
    words = ["".join(random.choices("abcdefghij", k=6)) for _ in range(400)]
    return [f"{' '.join(random.choices(words, k=9)).capitalize()}." for _ in range(sentences)]


def test_a_part_of_a_text_shares_it_at_any_length_in_any_order_and_pieces() -> None:
    book = story(1, 9_000)
    for length in (200, 3_000, 9_000):
        part = Random(length).sample(book[:length], length)
        numbered = [f"{number}. {sentence}" for number, sentence in enumerate(part)]
        for pieces in ([" ".join(part)], numbered, part):
            assert share_text(sketch_text(pieces), sketch_text([" ".join(book)]))
            assert share_text(sketch_text(book), sketch_text(pieces))


def test_other_texts_do_not_even_with_sentences_in_common() -> None:
    stock = story(3, 300)
    for seed in range(5, 9):
        one, other = (story(of, 300) + stock[:200] for of in (seed, seed + 20))
        assert not share_text(sketch_text(one), sketch_text(other))
    assert not share_text(sketch_text(["Short. Short."]), sketch_text(["Short. Short."]))
    assert not share_text((), sketch_text(stock))


def test_a_sketch_is_small_and_holds_no_words() -> None:
    found = sketch_text(story(1, 5_000))
    assert len(found) == 384
    assert all(0 <= each < 2**32 for each in found)
