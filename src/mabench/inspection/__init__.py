"""Looking into a run: which questions, and all that is known of how each answer came to be."""

from mabench.inspection.background import describe as describe
from mabench.inspection.background import look_up as look_up
from mabench.inspection.selection import CAUSES as CAUSES
from mabench.inspection.selection import Cause as Cause
from mabench.inspection.selection import Selection as Selection
