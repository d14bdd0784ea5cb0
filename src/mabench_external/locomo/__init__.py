"""LoCoMo (``locomo10.json``): long conversations of two people, with five kinds of questions."""

from pathlib import Path

from mabench.data.descriptions import format_of, read_description
from mabench_external.locomo.family import FAMILY as FAMILY
from mabench_external.locomo.reading import NOTHING_KNOWN as NOTHING_KNOWN

_DESCRIPTION = read_description(Path(__file__).with_name("description.toml"))
FORMAT = format_of(_DESCRIPTION)
SOURCE = FORMAT.sources[0]
# The categories by their numbers in the file.
CATEGORIES = {int(number): name for number, name in _DESCRIPTION.questions.types.items()}
