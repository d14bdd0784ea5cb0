from hypothesis import given
from hypothesis import strategies as st

from mabench.data.inventory import BY_NAME
from mabench.errors import nearest, unknown

NAMES = ["floor", "bm25", "no-memory", "long-context", "Long"]


def test_the_nearest_names() -> None:
    near = {"bm52": ["bm25"], "FLOOR": ["floor"], "nomemory": ["no-memory"], "xyzzy": [], "": []}
    near["lon"] = ["Long", "long-context"]
    assert {name: nearest(name, NAMES) for name in near} == near


def test_the_message_names_the_nearest_or_all() -> None:
    assert unknown("no agent named", "bm52", NAMES, "see there") == (
        "no agent named 'bm52': did you mean bm25? see there"
    )
    assert unknown("unknown x", "q", ["a", "b"]) == "unknown x 'q'; known: a, b"
    assert unknown("unknown x", "q", []) == "unknown x 'q'; known: none"


@given(st.sampled_from([*BY_NAME]), st.data())
def test_a_name_with_one_letter_lost_or_in_another_case_is_found(
    name: str, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(name) - 1))
    assert name in nearest(name.swapcase(), BY_NAME)
    lost = name[:cut] + name[cut + 1 :]
    assert len(nearest(lost, BY_NAME)) <= 3
    assert nearest(lost, BY_NAME)
