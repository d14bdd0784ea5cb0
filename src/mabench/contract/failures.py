"""What is stored of an error that an agent raised: its words and where, without secrets.

The error is the agent's, so that whatever is asked of it may raise, and never ends the run.
"""

from __future__ import annotations

import traceback

from mabench.contract.answers import AgentRaisedError, attempt, describe_error
from mabench.redact import redact

# Limits on what is stored, in characters: of the message, and of the traceback.
_LONGEST_MESSAGE = 2_000
_LONGEST_CALL = 300
_LONGEST_NOTE = 100_000  # Characters that are read of a note; fewer are stored.
# Limits on where it was raised: the last frames, and notes of another process.
_FRAMES, _MOST_NOTES = 4, 10


def error_fields(error: Exception, call: str = "") -> dict[str, str | None]:
    """Return the kind and message of an error, and the last frames of where, without secrets.

    ``call`` names the call that failed, such as ``add of Notes, chunk 3``, and comes last.
    """
    original = error.original if isinstance(error, AgentRaisedError) else error

    def locate() -> str:
        """Return the frames, and the notes with the frames of an agent in another process."""
        frames = traceback.extract_tb(original.__traceback__)[-_FRAMES:]
        # The methods of ``list`` and ``str`` are called, and none of a subclass of an agent's.
        held = getattr(original, "__notes__", None)
        notes = list.__getitem__(held, slice(_MOST_NOTES)) if isinstance(held, list) else []
        texts = [str.__str__(note)[-_LONGEST_NOTE:] for note in notes if isinstance(note, str)]
        return "".join([*traceback.format_list(frames), *texts])

    try:
        where = attempt(locate)
    except Exception:  # Whatever the error itself raises.
        where = ""
    failed = f" ({call[:_LONGEST_CALL]})" if call else ""
    message = redact(describe_error(error))[: _LONGEST_MESSAGE - len(failed)] + failed
    return {"error": message, "traceback": redact(where)[-_LONGEST_MESSAGE:] or None}
