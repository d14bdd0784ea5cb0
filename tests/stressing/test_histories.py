"""Histories that are drawn make sense, whatever is drawn."""

from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.stressing.abilities import Abilities
from mabench.stressing.histories.composer import Composer, Draw
from mabench.stressing.operations import CONTRADICTIONS

KINDS = (
    "add", "update", "delete", "delete-user", "search", "search-again", "list", "ready", "reopen",
    "burst", "maintain", "repeat", "copy", "add-again", "paraphrase",
    *CONTRADICTIONS,
)  # fmt: skip
ABLE = Abilities(frozenset(KINDS), frozenset(("add", "update", "search", *CONTRADICTIONS)), True)
DRAWS = st.lists(
    st.builds(
        Draw,
        st.sampled_from(KINDS),
        *(st.integers(0, most) for most in (2, 11, 12)),
        st.booleans(),
        st.booleans(),
    ),
    max_size=25,
)


@given(DRAWS)
@settings(max_examples=60, deadline=None)
def test_only_what_is_there_is_changed_and_nothing_after_it_was_contradicted(
    draws: list[Draw],
) -> None:
    history = Composer(ABLE, ["mara", "mar"]).compose(draws).finish()
    there: dict[tuple[str | None, int], int] = {}  # The version of each user's text.
    contradicted: set[tuple[str | None, int]] = set()
    told: dict[tuple[str | None, int], int] = {}  # The last version of each, there or not.
    for each in history.operations:
        about = {(each.user, fact) for fact in each.facts}
        match each.op:
            case "add":
                # A text is told again as it is, so that all know what holds.
                assert all(there.get(one, each.version) == each.version for one in about)
                there |= dict.fromkeys(about, each.version or 0)
            case "paraphrase":
                # What holds is told in other words, or what held when it was deleted.
                assert all(told[one] == each.version for one in about)
                there |= dict.fromkeys(about, each.version or 0)
            case "update" | "delete" | "replace" | "correct" | "retract":
                assert about <= there.keys()
                if each.op in ("delete", "retract"):
                    for one in about:
                        del there[one]
                else:
                    there |= dict.fromkeys(about, each.version or 0)
            case "delete-user":
                there = {one: version for one, version in there.items() if one[0] != each.user}
        told |= there
        if each.op in ("add", "update", "delete", *CONTRADICTIONS):
            assert not about & contradicted
        if each.op in CONTRADICTIONS:
            contradicted |= about


@given(DRAWS)
@settings(max_examples=30, deadline=None)
def test_a_memory_is_asked_only_for_what_it_can_do(draws: list[Draw]) -> None:
    plain = Abilities(frozenset(("add", "search")))
    history = Composer(plain, [None]).compose(draws).finish()
    assert {each.op for each in history.operations} <= {"add", "search"}
    assert {each.time for each in history.operations} <= {None}
