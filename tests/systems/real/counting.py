"""What was asked of a stand-in server, by its own count and by the meter's."""

import json
from collections import Counter
from collections.abc import Iterable
from urllib.request import urlopen

from mabench.results import CallRecord

Asked = Counter[tuple[str, str]]  # By path, and "calls" or tokens of "input" or "output".


def asked_of(server: str) -> Asked:
    """Return what the server at a base URL counted since it started."""
    with urlopen(f"{server.removesuffix('/v1')}/count", timeout=30) as reply:
        counts = json.loads(reply.read())
    return Counter(
        {(path, name): number for path, each in counts.items() for name, number in each.items()}
    )


def counted(calls: Iterable[CallRecord]) -> Asked:
    total: Asked = Counter()
    for call in calls:
        total[call.path, "calls"] += 1
        total[call.path, "input"] += call.input_tokens or 0
        total[call.path, "output"] += call.output_tokens or 0
    return +total


def describe(calls: Iterable[CallRecord], history_tokens: int, questions: int) -> str:
    """Say what the calls of a memory come to: per 1,000 tokens of history, and per question."""
    calls, parts = [*calls], []
    for phase, name, unit in (
        ("memorizing", "1,000 tokens of history", history_tokens / 1000),
        ("answering", "a question", questions),
    ):
        total = counted(call for call in calls if call.phase == phase)
        for path in sorted({path for path, _ in total}):
            number, given, made = (total[path, key] / unit for key in ("calls", "input", "output"))
            parts.append(f"{name}: {path} {number:,.1f} calls, {given:,.1f} + {made:,.1f} tokens")
    return "; ".join(parts)
