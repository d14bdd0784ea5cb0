"""Of texts of the same score, those that were found last come first.

Memories after human ones rank by the last access too, so a search changes what the next one shows.
"""

from tests.stress.faulty._base import Found, Held, Time, User, rank

FAULT = "order-changes"


class Memory(Held):
    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []  # The last found at the end.

    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        with self.lock:
            order = {text: number for number, text in enumerate(self.read)}
            texts = sorted(self._texts_at(time, user), key=lambda text: -order.get(text, -1))
            found = rank(texts, query, k)
            self.read = [text for text in self.read if text not in found] + [*found]
        return found
