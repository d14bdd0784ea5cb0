"""LoCoMo (``locomo10.json``): long conversations of two people, with five kinds of questions."""

from mabench_external.locomo.family import FAMILY as FAMILY
from mabench_external.locomo.reading import CATEGORIES as CATEGORIES
from mabench_external.locomo.reading import FORMAT as FORMAT
from mabench_external.locomo.reading import NOTHING_KNOWN as NOTHING_KNOWN
from mabench_external.locomo.reading import SOURCE as SOURCE
