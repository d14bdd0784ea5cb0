
"use strict";
(async () => {
  const at = (id) => document.getElementById(id);
  const PAGE = 50;
  const { names, folders, parts, heads, titles } = JSON.parse(at("data").dataset.about);
  const several = names.length > 1;
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const fields = ["text", "source", "outcome", "cause", "pair"].map(at).filter((field) => field);
  const questions = await unpacked(at("data").content.textContent);
  at("data").remove();
  const byId = new Map(questions.map((one) => [one.id, one]));
  for (const [place, one] of questions.entries()) Object.assign(one, { place, text: haystack(one) });
  let found = questions;
  let sort = "";
  let current = null;
  let section = "questions";
  let shown = 0;

  async function unpacked(base64) {
    const binary = atob(base64);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  function haystack(one) {
    const said = one.results.flatMap((result) => (result ? [result.answer, result.error] : []));
    return [one.id, one.question, ...one.answers, ...said].join("\n").toLowerCase();
  }

  // Every text goes into the page through here, as text.
  function make(tag, className, text, ...children) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined && text !== null) element.textContent = text;
    element.append(...children);
    return element;
  }

  function words(tag, className, text) {
    const element = make(tag, className, text);
    element.dir = "auto";
    return element;
  }

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

  // What a column is sorted by. Of ranks those come first, then what was not retrieved, then
  // what was not sought.
  const NOT_SOUGHT = 1e9;
  const keys = {
    question: (one) => one.question,
    gold: (one) => one.answers[0] ?? "",
    answer: (one) => one.results[0].answer ?? "",
    rank: (one) => (one.results[0].hit ?? NOT_SOUGHT) || NOT_SOUGHT - 1,
    cause: (one) => Object.keys(parts).indexOf(one.results[0].part),
    runs: (one) => one.results.reduce((sum, result) => sum + (score(result) ?? 0), 0),
  };

  function sorted(listed) {
    const name = sort.replace("-", "");
    if (!Object.hasOwn(keys, name)) return listed;
    const key = keys[name];
    const sign = sort.startsWith("-") ? -1 : 1;
    const { compare } = new Intl.Collator("en", { numeric: true });
    const by = (a, b) => (typeof a === "string" ? compare(a, b) : a - b);
    const pairs = listed.map((one) => [key(one), one]);
    return pairs.sort(([a, x], [b, y]) => sign * by(a, b) || x.place - y.place).map(([, one]) => one);
  }

  function filter() {
    const chosen = Object.fromEntries(fields.map((field) => [field.id, field.value]));
    const text = chosen.text.trim().toLowerCase();
    found = sorted(questions.filter(
      (one) =>
        (!chosen.source || one.source === chosen.source) &&
        (!chosen.outcome || isOutcome(one, chosen.outcome)) &&
        (!chosen.cause || isCause(one, chosen.cause)) &&
        (!text || one.text.includes(text)),
    ));
    at("rows").replaceChildren();
    shown = 0;
    showMore();
    const count = found.length.toLocaleString("en");
    at("count").textContent = `${count} of ${questions.length.toLocaleString("en")} questions`;
    for (const button of at("list").querySelectorAll("th button")) {
      const order = { [button.value]: "ascending", [`-${button.value}`]: "descending" }[sort];
      button.closest("th").setAttribute("aria-sort", order ?? "none");
    }
    for (const pair of document.querySelectorAll("[data-pair]")) {
      pair.hidden = Boolean(at("pair")) && pair.dataset.pair !== chosen.pair;
    }
  }

  function showMore() {
    at("rows").append(...found.slice(shown, shown + PAGE).map(row));
    shown = Math.min(found.length, shown + PAGE);
    at("more").hidden = shown >= found.length;
    at("more").textContent = `Show more of ${(found.length - shown).toLocaleString("en")}`;
  }

  // What is chosen stands in the address, behind the question that is open.
  function choices() {
    const chosen = new URLSearchParams();
    for (const field of fields) {
      if (field.value && field.value !== field.options?.[0].value) chosen.set(field.id, field.value);
    }
    if (sort) chosen.set("sort", sort);
    const query = chosen.toString();
    return query && `?${query}`;
  }

  function choose(query) {
    const chosen = new URLSearchParams(query);
    for (const field of fields) {
      const value = chosen.get(field.id) ?? "";
      if (field.options) {
        field.selectedIndex = Math.max(0, [...field.options].findIndex((one) => one.value === value));
      } else field.value = value;
    }
    sort = chosen.get("sort") ?? "";
    filter();
  }

  // Names no question in the address, nor a history of what was chosen.
  function stay() {
    const query = choices();
    history.replaceState(null, "", query ? `#${section}${query}` : location.pathname + location.search);
  }

  function changed(event) {
    section = event?.target.id === "pair" ? "pairs" : "questions";
    filter();
    stay();
  }

  const address = (one) =>
    `#q/${one.id.split("/").map((part) => encodeURIComponent(part.toWellFormed())).join("/")}${choices()}`;
  const title = (source) => (Object.hasOwn(titles, source) ? titles[source] : source);
  const place = (one) => `${title(one.source)}, row ${one.row}, question ${one.index}`;
  function chip(result, before = "", after = "") {
    const name = result ? heads[result.part].toLowerCase() : "not asked";
    const element = make("span", `chip ${result?.part ?? ""}`, before + name + after);
    if (result) element.title = parts[result.part];
    return element;
  }

  const rank = (result) => (result?.hit ? `${result.hit}` : result?.hit === 0 ? "none" : "");

  function row(one) {
    const link = words("a", "", one.question.slice(0, 400).trim() || "(no text)");
    link.href = address(one);
    link.dataset.id = one.id;
    const cell = (title, ...inside) => {
      const element = make("td", "", null, ...inside);
      element.dataset.title = title;
      return element;
    };
    const text = (said) => words("span", "said", (said ?? "").slice(0, 400));
    const cells = [make("td", "", null, link, make("span", "place", place(one))), cell("Gold", text(one.answers[0]))];
    const [first] = one.results;
    const chips = one.results.map((result, run) =>
      several ? chip(result, `${letters[run]} `, result?.hit ? ` \u00b7 ${rank(result)}` : "") : chip(result));
    if (!several) {
      const by = first.hit && first.by === "mention" ? " mention" : "";
      cells.push(cell("Answer", text(first.answer ?? first.error)));
      const found = make("span", "", rank(first), make("span", "place", by));
      cells.push(by || rank(first) ? cell("Rank", found) : make("td"));
    }
    return make("tr", "", null, ...cells, make("td", "", null, make("div", "chips", null, ...chips)));
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
      ? `A gold is mentioned in chunk ${one.golds.map((chunk) => chunk + 1).join(", ")} of ${one.chunks}.`
      : `No gold is mentioned in the ${one.chunks} chunks.`;
    const key = " Tall marks: golds; short marks: what was retrieved.";
    return [make("h3", "", "In the history"), bar, make("p", "facts", where + key)];
  }

  function passage(one) {
    const about = [`${one.rank}`];
    if (one.chunk !== null) about.push(`chunk ${one.chunk + 1}`);
    if (one.score !== null) about.push(`score ${one.score}`);
    if (one.evidence) about.push("holds evidence");
    if (one.gold) about.push("mentions a gold");
    const parts = (one.text ?? []).map((text, i) => (i % 2 ? make("mark", "", text) : text));
    const item = make("li", "", null, make("b", "", about.join(" \u00b7 ")));
    if (parts.length) item.append(make("p", "words", null, ...parts));
    item.lastChild.dir = "auto";
    return item;
  }

  const duration = (seconds) =>
    seconds < 1 ? `${Number((1000 * seconds).toPrecision(3))} ms` : `${seconds} s`;

  function result(one, name) {
    const box = make("div", "result");
    if (several) box.append(make("h3", "", name));
    box.append(chip(one));
    if (!one) return box;
    const facts = [];
    if (one.official !== undefined) facts.push(`official ${one.official}`);
    if (one.corrected !== undefined) facts.push(`corrected ${one.corrected}`);
    if (one.rule) facts.push(`rule ${one.rule}`);
    if (one.hit !== undefined) {
      const what = one.by === "evidence" ? "evidence complete" : "gold mentioned";
      facts.push(one.hit ? `${what} at rank ${one.hit}` : `${what.replace(" ", " not ")}`);
    }
    if (one.seconds !== undefined) facts.push(duration(one.seconds));
    if (one.in !== undefined) facts.push(`${one.in} tokens in, ${one.out ?? 0} out`);
    if (one.cost !== undefined) facts.push(`$${one.cost}`);
    box.append(make("p", "facts", facts.join(" \u00b7 ")));
    if (one.answer !== undefined) box.append(make("h3", "", "Answer"), words("p", "words", one.answer));
    if (one.error) box.append(make("h3", "", "Error"), words("p", "words", one.error));
    for (const said of one.judges ?? []) box.append(make("h3", "", "Judge"), words("p", "words", said));
    if (one.passages) {
      box.append(make("h3", "", "Retrieved"), make("ol", "passages", null, ...one.passages.map(passage)));
      if (one.more) box.append(make("p", "facts", `and ${one.more} more`));
    }
    return box;
  }

  function show(one) {
    at("detail-title").textContent = place(one);
    const golds = one.answers.map((answer) => words("li", "words", answer));
    at("body").replaceChildren(
      make("h3", "", "Question"), words("p", "words", one.question),
      make("h3", "", golds.length > 1 ? "Golds" : "Gold"), make("ul", "golds", null, ...golds),
      ...(one.after ? [make("p", "facts", `Asked after ${one.after}, before the rest was told`)] : []),
      ...strip(one),
      make("div", "results", null, ...one.results.map((each, i) => result(each, names[i]))),
    );
    const command = `mabench show RUN --source '${one.source}' --row ${one.row} --question ${one.index}`;
    at("body").append(make("p", "facts", "More, with the prompt: ", make("code", "", command)));
    const index = found.indexOf(one);
    for (const [id, other] of [["previous", found[index - 1]], ["next", found[index + 1]]]) {
      at(id).disabled = index < 0 || !other;
      at(id).onclick = () => location.replace(address(other));
    }
    current = one;
    if (!at("detail").open) at("detail").showModal();
    at("detail").scrollTop = 0;
    at("detail-title").focus();
  }

  function follow() {
    const [hash, query] = location.hash.split(/\?(.*)/s);
    if (query !== undefined) {
      choose(query);
      at(hash.slice(1))?.scrollIntoView({ behavior: "instant" });
    }
    let id = "";
    try {
      if (hash.startsWith("#q/")) id = decodeURIComponent(hash.slice(3));
    } catch { /* A broken address names no question. */ }
    const one = byId.get(id);
    if (one) show(one);
    else if (at("detail").open) at("detail").close();
  }

  const links = () => [...at("rows").querySelectorAll("a")];

  function step(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const listed = links();
    const next = listed.indexOf(document.activeElement) + by;
    if (!by || next < 0) return;
    event.preventDefault();
    if (next === listed.length) showMore();
    links()[next]?.focus();
  }

  // As `mabench export` writes them; a text that a spreadsheet takes for a formula is quoted.
  function csv() {
    const FORMULA = /^(?:[\s\0-\x1f\x7f-\x9f\u200b-\u200f\u2060\ufeff]*[=+\-@\uff0b\uff0d\uff1d\uff20]|[\t\r\n])/;
    const cell = (value) => {
      if (typeof value !== "string") return value ?? "";
      const text = (FORMULA.test(value) ? `'${value}` : value).toWellFormed();
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const head = [
      "run", "agent", "source", "split", "row", "question_index", "question", "golds", "prediction",
      "error", "official", "corrected", "rule", "part", "hit_rank",
    ];
    const lines = found.flatMap((one) => one.results.map((result, run) => result && [
      folders[run], several ? names[run].slice("A: ".length) : names[run], one.source, one.id.split("/")[0], one.row, one.index, one.question,
      JSON.stringify(one.answers), result.answer, result.error, result.official,
      result.corrected, result.rule, result.part, result.hit,
    ]));
    return [head, ...lines.filter((line) => line)].map((line) => line.map(cell).join(",") + "\r\n").join("");
  }

  function save() {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
    link.download = "questions.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href));
  }

  at("close").onclick = () => at("detail").close();
  at("detail").addEventListener("close", () => {
    if (!location.hash.startsWith("#q/")) return;
    stay();
    while (shown <= found.indexOf(current)) showMore();
    links().find((link) => link.dataset.id === current.id)?.focus();
  });
  at("detail").addEventListener("keydown", (event) => {
    const id = { ArrowLeft: "previous", ArrowRight: "next" }[event.key];
    if (id && !at(id).disabled) at(id).click();
  });
  at("detail").addEventListener("click", (event) => event.target === at("detail") && at("detail").close());
  for (const field of fields) field.addEventListener("input", changed);
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("filters").addEventListener("reset", () => setTimeout(() => { sort = ""; changed(); }));
  at("list").querySelector("thead").addEventListener("click", ({ target: { value } }) => {
    if (!value) return;
    sort = sort === value ? `-${value}` : sort === `-${value}` ? "" : value;
    changed();
  });
  at("list").addEventListener("keydown", step);
  at("text").addEventListener("keydown", step);
  at("save").addEventListener("click", save);
  at("more").addEventListener("click", showMore);
  addEventListener("hashchange", follow);
  if (at("pair")) at("pair").closest("[hidden]").hidden = false;
  filter();
  follow();
  document.documentElement.dataset.ready = "true";
})();
