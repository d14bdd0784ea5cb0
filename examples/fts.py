import re
import sqlite3
import threading
from pathlib import Path


class Fts:
    """Texts in SQLite's full-text index, a database in a folder."""

    def __init__(self, folder: Path) -> None:
        self.lock = threading.Lock()
        self.db = sqlite3.connect(folder / "texts.db", check_same_thread=False)
        columns = "fts5(text, user unindexed)"
        self.db.execute(f"create virtual table if not exists texts using {columns}")

    def add(self, text: str, *, user: str | None = None) -> int:
        with self.lock, self.db:
            row = self.db.execute("insert into texts values (?, ?)", (text, user))
            return row.lastrowid

    def update(self, id: int, text: str) -> None:
        with self.lock, self.db:
            self.db.execute("update texts set text = ? where rowid = ?", (text, id))

    def delete(self, id: int) -> None:
        with self.lock, self.db:
            self.db.execute("delete from texts where rowid = ?", (id,))

    def search(self, query: str, k: int, *, user: str | None = None) -> list[str]:
        words = " OR ".join(re.findall(r"\w+", query))
        found = "select text from texts where texts match ? and user is ? order by rank limit ?"
        with self.lock:
            rows = self.db.execute(found, (words, user, k))
            return [text for (text,) in rows]

    def close(self) -> None:
        self.db.close()
