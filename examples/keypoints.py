"""A memory that asks a language model for the key points of each text.

mabench run keypoints:KeyPoints --model openai/my-model
"""

import json
import urllib.request


class KeyPoints:
    def __init__(self, model: dict[str, str]) -> None:
        self.model = model
        self.texts: list[str] = []

    def add(self, text: str) -> None:
        message = {"role": "user", "content": f"Give the key points of:\n{text}"}
        body = {"model": self.model["name"], "temperature": 0, "messages": [message]}
        headers = {
            "Authorization": f"Bearer {self.model['api_key']}",
            "Content-Type": "application/json",
        }
        url = self.model["base_url"] + "/chat/completions"
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as response:
            reply = json.load(response)["choices"][0]["message"]["content"]
        self.texts.append(f"{text}\nKey points: {reply}")

    def search(self, query: str, k: int) -> list[str]:
        words = set(query.lower().split())

        def overlap(text: str) -> int:
            return len(words & set(text.lower().split()))

        return sorted(self.texts, key=overlap, reverse=True)[:k]
