"""An observer of progress that remembers all that it was told."""


class RecordedProgress:
    """``events`` has a line for each call, in order."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def start(
        self, work: str, total: int | None, done: int = 0, title: str = "", note: str = ""
    ) -> None:
        self.events.append(f"start {work} {done}/{total} {title} {note}".rstrip())

    def advance(self, work: str, note: str = "") -> None:
        self.events.append(f"advance {work} {note}".rstrip())

    def note(self, work: str, note: str) -> None:
        self.events.append(f"note {work} {note}")

    def say(self, line: str) -> None:
        self.events.append(f"say {line}")
