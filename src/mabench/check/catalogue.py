"""All checks in the order in which they are carried out, and what a failure of each means.

By default, a failure means that scores of the agent mean nothing.
"""

from __future__ import annotations

from mabench.check import answering, declared, growth, isolation, storing, texts
from mabench.check.findings import Check

CHECKS = (
    Check("fresh instance", storing.fresh_instance_knows_nothing, needs_found=False),
    Check("found", storing.memorized_facts_are_found, needs_found=False),
    Check("rows apart", isolation.rows_stay_apart),
    Check("rows in parallel", isolation.concurrent_rows_stay_apart),
    Check("questions in parallel", answering.concurrent_questions_stay_apart),
    Check("processes apart", isolation.processes_stay_apart),
    Check("unchanged by answering", answering.answering_changes_nothing, needs_found=False),
    Check(
        "search before add",
        storing.empty_memory_can_be_searched,
        invalidates=False,
        needs_found=False,
    ),
    Check("empty text", storing.empty_texts_do_no_harm, invalidates=False, needs_found=False),
    Check("unicode", texts.unicode_survives),
    Check(texts.KILOBYTES, texts.kilobytes_survive, needs_found=False),
    Check(texts.CHUNK, texts.chunk_survives, needs_found=False),
    Check("fields", declared.fields_are_obeyed),
    Check("editing", declared.texts_are_edited, invalidates=False),
    Check("save and load", declared.saved_memory_comes_back),
    Check("deterministic", answering.instances_answer_alike, invalidates=False, needs_found=False),
    Check("growth", growth.add_and_search_stay_fast, invalidates=False, needs_found=False),
)
