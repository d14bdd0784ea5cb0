"""Writes six histories in which the code of a door changes every week, to the folder `doors`."""

import json
from datetime import datetime, timedelta
from pathlib import Path

rows = []
for history in range(6):
    row = {
        "context": "",
        "turns": [],
        "questions": [],
        "answers": [],
        "metadata": {"source": "doors"},
    }
    row["metadata"]["question_dates"] = []
    for week in range(5):
        day, code = datetime(2024, 1, 1) + timedelta(weeks=week), f"K{history}{week}7"
        said = f"The code of the door is {code}."
        start, end = len(row["context"]), len(row["context"]) + len(said)
        place = {"id": f"t{week}", "session": f"week {week}", "start": start, "end": end}
        row["turns"].append(place | {"time": f"{day}Z", "speaker": "Amal"})
        row["context"] += said + "\n"
        row["questions"].append("What is the code of the door?")
        row["answers"].append([code])
        row["metadata"]["question_dates"].append(f"{day + timedelta(days=2)}Z")
    rows.append(row)
Path("doors").mkdir()
Path("doors/rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
Path("doors/sources.toml").write_text('[doors]\nfamily = "answer"\n')
