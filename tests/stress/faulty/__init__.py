"""Memories with one planted fault each: what `mabench stress` must find, and by which name.

What is right where the contract is silent, here and in `tests.stress.correct`:

- A search at `time` t sees texts of t and before; of a text that was updated, the version with the
  latest time up to t, of equal ones the last told. No `time` in a search sees the latest version.
- An add without a time always holds; an update without one takes the time of what it replaces.
- A deleted text is gone at every `time`, from the files too. To delete what is not there does
  nothing, to update it raises KeyError. No user is a user of its own, whom nobody else sees.
- What `add` returned holds at once and after `kill -9`, unless `ready` says that it takes a while.
- Whatever shares a word with the query is found, the most words first, then the first added.
"""
