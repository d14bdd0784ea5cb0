
// What is told of questions of one run or of several.
function explorer({ names, folders, parts, heads, data, served }, { make, words, cell, text, excerpt, download }) {
  const several = names.length > 1;
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const score = (result) => (result && result.official !== undefined ? result.official : null);

  function isOutcome(one, wanted) {
    const scores = one.results.map(score);
    if (scores.includes(null)) return false;
    if (wanted === "all") return scores.every((value) => value >= 1);
    if (wanted === "none") return scores.every((value) => value < 1);
    if (wanted === "differ") return new Set(scores).size > 1;
    const run = Number(wanted.slice("only:".length));
    return scores.every((value, other) => other === run || value < scores[run]);
  }

  function isCause(one, wanted) {
    const [run, part] = wanted.split(":");
    return one.results[run]?.part === part;
  }

  const rank = (result) => (result?.hit ? `${result.hit}` : result?.hit === 0 ? "none" : "");

  const takes = (one, { outcome, cause }) =>
    (!outcome || isOutcome(one, outcome)) && (!cause || isCause(one, cause));

  // Of ranks those come first, then what was not retrieved, then what was not sought.
  const NOT_SOUGHT = 1e9;
  const keys = {
    answer: (one) => one.results[0].answer ?? "",
    rank: (one) => (one.results[0].hit ?? NOT_SOUGHT) || NOT_SOUGHT - 1,
    cause: (one) => Object.keys(parts).indexOf(one.results[0].part),
    runs: (one) => one.results.reduce((sum, result) => sum + (score(result) ?? 0), 0),
  };

  const said = (one) => one.results.flatMap((result) => (result ? [result.answer, result.error] : []));

  function chip(result, before = "", after = "") {
    const name = result ? heads[result.part].toLowerCase() : "not asked";
    const element = make("span", `chip ${result?.part ?? ""}`, before + name + after);
    if (result) element.title = parts[result.part];
    return element;
  }

  function cells(one) {
    const cells = [];
    const [first] = one.results;
    const chips = one.results.map((result, run) =>
      several ? chip(result, `${letters[run]} `, result?.hit ? ` \u00b7 ${rank(result)}` : "") : chip(result));
    if (!several) {
      const by = first.hit && first.by === "mention" ? " mention" : "";
      cells.push(cell("Answer", text(first.answer ?? first.error)));
      const found = make("span", "", rank(first), make("span", "place", by));
      cells.push(by || rank(first) ? cell("Rank", found) : make("td"));
    }
    return [...cells, make("td", "", null, make("div", "chips", null, ...chips))];
  }

  function strip(one) {
    if (!one.golds || !one.chunks) return [];
    const bar = make("div", "strip");
    bar.setAttribute("aria-hidden", "true");
    const tick = (chunk, className) => {
      const mark = make("i", className);
      mark.style.setProperty("--at", `${(100 * chunk) / one.chunks}%`);
      mark.style.setProperty("--size", `${100 / one.chunks}%`);
      bar.append(mark);
    };
    for (const chunk of one.golds) tick(chunk, "");
    const passages = one.results.flatMap((result) => result?.passages ?? []);
    for (const { chunk } of passages) if (chunk !== null) tick(chunk, "found");
    const where = one.golds.length
      ? `A gold is mentioned in chunk${one.golds.length > 1 ? "s" : ""} ${one.golds.map((chunk) => chunk + 1).join(", ")} of ${one.chunks}.`
      : `No gold is mentioned in the ${one.chunks} chunks.`;
    const key = " Tall marks: golds; short marks: what was retrieved.";
    return [folded("Mentions in the history", bar, make("p", "facts", where + key))];
  }

  const folded = (title, ...inside) => make("details", "", null, make("summary", "", title), ...inside);

  // Whether runs retrieved a statement: of one run in words, of several by their letters.
  function retrieved(one, rank) {
    const known = one.results.flatMap((result, run) => {
      const at = result && rank(result);
      if (at === undefined || at === null) return [];
      return [`${several ? `${letters[run]}: ` : ""}${at ? `retrieved at rank ${at}` : "not retrieved"}`];
    });
    return known.length ? ` (${known.join("; ")})` : "";
  }

  function placed([chunk, depth, texts], found) {
    const where = [chunk !== null && `chunk ${chunk + 1}`, depth !== null && `at ${Math.round(depth)} % of the history`];
    return excerpt(`${where.filter((each) => each).join(", ") || "somewhere in the history"}${found}`, texts);
  }

  function support(one) {
    const items = (one.support ?? []).map((each, i) =>
      placed(each, retrieved(one, (result) => result.ranks?.length === one.support.length ? result.ranks[i] ?? 0 : null)));
    if (items.length) return [make("h3", "", "The answer rests on"), make("ol", "passages", null, ...items)];
    if (!one.mention) return [];
    const found = retrieved(one, (result) => (result.by === "mention" ? result.hit : null));
    return [make("h3", "", "A gold is mentioned in"), make("ol", "passages", null, placed(one.mention, found))];
  }

  function passage(one) {
    const about = [`${one.rank}`];
    if (one.chunk !== null) about.push(`chunk ${one.chunk + 1}`);
    if (one.score !== null) about.push(`score ${one.score}`);
    if (one.evidence) about.push("holds evidence");
    if (one.gold) about.push("mentions a gold");
    return excerpt(about.join(" \u00b7 "), one.text ?? []);
  }

  const duration = (seconds) =>
    seconds < 1 ? `${Number((1000 * seconds).toPrecision(3))} ms` : `${seconds} s`;

  function passages(one, name) {
    if (!one?.passages) return [];
    const box = make("div", "result passages-box", null, make("h3", "", several ? `Retrieved by ${name}` : "Retrieved"));
    const bare = one.passages.filter((each) => !(each.text || each.evidence || each.gold));
    const shown = one.passages.filter((each) => !bare.includes(each));
    if (shown.length) box.append(make("ol", "passages", null, ...shown.map(passage)));
    const left = bare.map(({ rank, chunk }) => (chunk === null ? `${rank}` : `${rank} (chunk ${chunk + 1})`));
    if (one.more) left.push(`${one.more} more`);
    if (left.length) box.append(make("p", "facts", `Without a text here: ${left.join(", ")}`));
    return [box];
  }

  // What the steps of an answer took, as far as it is known.
  function trace(one) {
    const spent = [
      one.in !== undefined && `${one.in.toLocaleString("en")} tokens in, ${(one.out ?? 0).toLocaleString("en")} out`,
      one.cost !== undefined && `$${one.cost}`,
    ];
    const whole = one.seconds !== undefined ? duration(one.seconds) : "";
    if (one.search === undefined || one.seconds === undefined) return [whole, ...spent].filter((each) => each);
    const read = Math.max(0, one.seconds - one.search);
    return [`retrieve ${duration(one.search)}`, `read ${duration(Number(read.toPrecision(3)))}`, ...spent].filter((each) => each);
  }

  function result(one, name) {
    const box = make("div", "result answer-box");
    if (several) box.append(make("h3", "", name));
    box.append(chip(one));
    if (!one) return box;
    if (one.answer !== undefined) box.append(make("h3", "", "Answer"), words("p", "words", one.answer));
    if (one.error) box.append(make("h3", "", "Error"), words("p", "words", one.error));
    const facts = [];
    if (one.official !== undefined) facts.push(`official ${one.official}`);
    if (one.corrected !== undefined) facts.push(`corrected ${one.corrected}`);
    for (const said of [one.rule && `rule ${one.rule}`, one.support]) if (said) facts.push(said);
    if (one.hit !== undefined) {
      const what = one.by === "evidence" ? "evidence complete" : "gold mentioned";
      facts.push(one.hit ? `${what} at rank ${one.hit}` : `${what.replace(" ", " not ")}`);
    }
    box.append(make("p", "facts", facts.join(" \u00b7 ")), make("p", "facts", trace(one).join(" \u00b7 ")));
    for (const said of one.judges ?? []) box.append(make("h3", "", "Judge"), words("p", "words", said));
    if (one.prompt) box.append(folded("What the model saw, to its end", words("p", "words", one.prompt)));
    return box;
  }

  // What a person says of the gold or of the verdict: sent to the server, or kept to be saved.
  const KINDS = { "gold-wrong": "The gold is wrong", "verdict-wrong": "The verdict is wrong" };
  const unsaved = [];

  function lineOf(one, mark, note, withdrawn) {
    const line = { split: one.id.split("/")[0], row: one.row, question_index: one.index, source: one.source };
    return { ...line, mark, note: note.toWellFormed(), date: new Date().toISOString(), ...(withdrawn ? { withdrawn } : {}) };
  }

  async function keep(line) {
    if (!served) {
      unsaved.push(line);
      return "kept in this page until you save it";
    }
    const reply = await fetch(location.pathname.replace("/run/", "/mark/"), {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(line),
    });
    if (!reply.ok) throw new Error(`${reply.status}`);
    return "kept with the run";
  }

  function marking(one) {
    if (several) return [];
    one.marks ??= {};
    const note = make("input", "note");
    note.maxLength = 2000;
    note.placeholder = "why";
    note.setAttribute("aria-label", "Why");
    note.value = Object.values(one.marks).find((said) => said) ?? "";
    const state = make("p", "facts");
    state.setAttribute("role", "status");
    const saving = make("button", "", "Save marks");
    saving.type = "button";
    saving.hidden = served || !unsaved.length;
    saving.onclick = () =>
      download("marks.jsonl", "application/x-ndjson", unsaved.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const buttons = Object.entries(KINDS).map(([mark, label]) => {
      const button = make("button", "", label);
      button.type = "button";
      const press = () => button.setAttribute("aria-pressed", `${Object.hasOwn(one.marks, mark)}`);
      button.onclick = async () => {
        const withdrawn = Object.hasOwn(one.marks, mark);
        try {
          const said = await keep(lineOf(one, mark, withdrawn ? "" : note.value, withdrawn));
          if (withdrawn) delete one.marks[mark];
          else one.marks[mark] = note.value;
          state.textContent = `${withdrawn ? "Taken back" : "Marked"}; ${said}. No score counts marks.`;
          saving.hidden = served || !unsaved.length;
        } catch (error) {
          state.textContent = `Not kept: ${error.message}`;
        }
        press();
      };
      press();
      return button;
    });
    return [make("h3", "", "Something is wrong?"), make("div", "marks", null, ...buttons, note, saving), state];
  }

  function toData(one) {
    if (!data) return [];
    const link = make("a", "", "This question on the page of the data");
    link.href = `${data}#q/${one.id.toWellFormed().split("/").map(encodeURIComponent).join("/")}`;
    return [make("p", "facts", null, link)];
  }

  const body = (one, golds) => [
    ...(one.after ? [make("p", "facts", `Asked after ${one.after}, before the rest was told`)] : []),
    ...support(one),
    make("div", "results", null, ...one.results.flatMap((each, i) => passages(each, names[i]))),
    make("div", "results", null, make("div", "result", null, ...golds), ...one.results.map((each, i) => result(each, names[i]))),
    ...strip(one), ...toData(one),
    ...marking(one),
  ];

  const head = [
    "run", "agent", "source", "split", "row", "question_index", "question", "golds", "prediction",
    "error", "official", "corrected", "rule", "part", "hit_rank",
  ];
  const lines = (one) => one.results.flatMap((result, run) => !result ? [] : [[
    folders[run], several ? names[run].slice("A: ".length) : names[run], one.source, one.id.split("/")[0], one.row, one.index, one.question,
    JSON.stringify(one.answers), result.answer, result.error, result.official,
    result.corrected, result.rule, result.part, result.hit,
  ]]);
  const about = () => [];
  const more = ["The same in a terminal: ", "mabench show RUN"];
  return { takes, keys, said, cells, about, body, head, lines, more };
}
