"""Two examples of each command, with which its help ends; a test runs them."""

EXAMPLES = {
    "run": ("bm25 --data synthetic:start", "my_agent:MyMemory --set k=5 --limit-questions 5"),
    "sweep": (
        "bm25 --source ruler_qa1 --knob tokens=2k,4k",
        "bm25 floor --source eventqa --knob tokens=4k,8k --knob questions=5",
    ),
    "check": ("bm25", "my_agent:MyMemory --timeout 30"),
    "compare": ("1 2", "runs/* --format latex"),
    "race": (
        "bm25 floor --data synthetic:factconsolidation_mh --tokens 6k --max-histories 6",
        "bm25 floor --data synthetic:eventqa --tokens 8k --margin 5 --max-hours 1",
    ),
    "runs": ("", "--format json"),
    "show": ("1 --why misread", "1 --source ruler_qa1 --row 0 --question 2"),
    "report": ("1", "1 --beside BM25"),
    "page": ("1", "runs/* --out runs.html"),
    "export": ("runs/* --to csv --out answers.csv", "1 --to inspect --out logs"),
    "score": ("1", "answers.jsonl --data synthetic:start --answered-only"),
    "leaderboard": ("", "1 --format csv"),
    "judge": ("1 --model openai/gpt-4o", "1 --model openai/gpt-4o --prompts paper --max-cost 2"),
    "audit": ("synthetic:start", "my-rows --format json"),
    "generate": (
        "ruler_qa1 --tokens 4k --rows 2 --out rows",
        "eventqa --tokens 20k --seed 7 --difficulty hard --out hard-rows",
    ),
    "sources": ("", "--format json"),
    "agents": ("", "--format json"),
    "data validate": ("my-rows", "synthetic:small"),
    "data init": ("my-rows", "my-chats --like chats"),
    "data import": ("locomo locomo10.json --out rows", "beam chats/100K --out beam-rows"),
    "data page": ("synthetic:small --out rows.html", "my-rows --out my-rows.html"),
    "data show": ("synthetic:small", "my-rows --row 0 --question 1"),
    "data export": ("synthetic:small rows", "my-rows questions.jsonl --as-questions"),
    "data chunks": ("my-rows", "synthetic:small --protocol paper"),
    "cache show": ("", "--folder replies"),
    "cache clear": ("", "--folder replies"),
}
