"""Queries as the engine makes them."""

from mabench.contract import Query


def ask(question: str, max_tokens: int = 50, *, prompt: str | None = None) -> Query:
    """Wrap a question in a prompt, or in the one given."""
    return Query(
        prompt or f"Answer from memory.\nQuestion: {question}\nAnswer:",
        question=question,
        search_query=question,
        max_tokens=max_tokens,
    )
