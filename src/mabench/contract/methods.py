"""What mabench calls on an agent or a memory, and what goes to and fro: the one list of it.

Agents of this process, the worker, the line protocol, HTTP and MCP go by it. The worker reads this
file by its path where mabench is not installed: it imports nothing, and runs with Python 3.9.
"""

# What makes an agent, and what makes a memory.
KINDS = {"agent": ("memorize", "answer"), "memory": ("add", "search")}
# What else they may have, beside close(); one that lives elsewhere says which of these it has.
OPTIONAL = ("stats", "save", "load")
# The parameters of each method, in order.
METHODS = {
    "memorize": ("chunk",),
    "answer": ("query",),
    "add": ("text",),
    "search": ("query", "k"),
    "stats": (),
    "save": ("folder",),
    "load": ("folder",),
    "close": (),
}
# Carrying these out twice does no harm, so they may be sent again.
REPEATABLE = ("answer", "search", "stats", "close")
# What crosses of a query beside the prompt, of an answer and of a passage.
FIELDS = {
    "query": ("question", "search_query", "max_tokens"),
    "answer": (
        "text", "retrieved", "input_tokens", "output_tokens", "cost", "tokens_estimated",
        "dropped_tokens", "prompt",
    ),
    "passage": ("text", "score"),
}  # fmt: skip
