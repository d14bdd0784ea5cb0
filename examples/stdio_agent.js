// A memory in JavaScript that speaks mabench's line protocol (docs/reference/line-protocol.md).
// mabench run "stdio:node examples/stdio_agent.js" --data synthetic:small
const readline = require("node:readline");

const RS = "\x1e"; // Every message is RS, one JSON object, and a line feed.
const words = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
const texts = [];

const methods = {
  make: () => ({ kind: "memory", methods: ["stats"] }),
  add: ({ text }) => {
    texts.push({ text, words: words(text) });
    return null;
  },
  search: ({ query, k }) => {
    const asked = [...words(query)];
    const score = (kept) => asked.filter((word) => kept.words.has(word)).length;
    return texts
      .map((kept) => ({ text: kept.text, score: score(kept) }))
      .sort((one, other) => other.score - one.score)
      .slice(0, k);
  },
  stats: () => ({ memories: texts.length }),
  close: () => null,
};

function reply(request) {
  try {
    return { result: methods[request.method](request.params) };
  } catch (error) {
    return { error: { code: -32000, message: String(error), data: { traceback: error.stack } } };
  }
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line.replace(RS, ""));
  process.stdout.write(RS + JSON.stringify({ jsonrpc: "2.0", id: request.id, ...reply(request) }) + "\n");
});
