
"use strict";
(async () => {
  const at = (id) => document.getElementById(id);
  const PAGE = 50;
  const names = JSON.parse(at("data").dataset.names);
  const several = names.length > 1;
  const questions = await unpacked(at("data").content.textContent);
  at("data").remove();
  const byId = new Map(questions.map((one) => [one.id, one]));
  for (const one of questions) one.text = haystack(one);
  let found = questions;
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
    if (!several) return one.results[0].verdict === wanted;
    const scores = one.results.map(score);
    if (scores.includes(null)) return false;
    if (wanted === "all") return scores.every((value) => value >= 1);
    if (wanted === "none") return scores.every((value) => value < 1);
    if (wanted === "differ") return new Set(scores).size > 1;
    const run = Number(wanted.slice("only:".length));
    return scores.every((value, other) => other === run || value < scores[run]);
  }

  function isHit(one, wanted) {
    const [run, kind] = wanted.split(":");
    const hit = one.results[run]?.hit;
    return hit !== undefined && hit > 0 === (kind === "hit");
  }

  function filter() {
    const text = at("text").value.trim().toLowerCase();
    const [source, outcome, hit] = ["source", "outcome", "hit"].map((id) => at(id)?.value);
    found = questions.filter(
      (one) =>
        (!source || one.source === source) &&
        (!outcome || isOutcome(one, outcome)) &&
        (!hit || isHit(one, hit)) &&
        (!text || one.text.includes(text)),
    );
    at("rows").replaceChildren();
    shown = 0;
    showMore();
    const count = found.length.toLocaleString("en");
    at("count").textContent = `${count} of ${questions.length.toLocaleString("en")} questions`;
  }

  function showMore() {
    at("rows").append(...found.slice(shown, shown + PAGE).map(row));
    shown = Math.min(found.length, shown + PAGE);
    at("more").hidden = shown >= found.length;
    at("more").textContent = `Show more of ${(found.length - shown).toLocaleString("en")}`;
  }

  const address = (one) =>
    "#q/" + one.id.split("/").map((part) => encodeURIComponent(part.toWellFormed())).join("/");
  const place = (one) => `${one.source}, row ${one.row}, question ${one.index}`;
  const chip = (result) =>
    make("span", `chip ${result ? result.verdict : ""}`, result ? result.verdict : "not asked");

  function row(one) {
    const link = words("a", "", one.question.slice(0, 400).trim() || "(no text)");
    link.href = address(one);
    const said = several ? one.answers[0] : (one.results[0].answer ?? one.results[0].error);
    return make(
      "tr", "", null,
      ...one.results.map((result) => make("td", "verdict", null, chip(result))),
      make("td", "", null, link, make("span", "place", place(one))),
      make("td", "answer", null, words("span", "said", (said ?? "").slice(0, 400))),
    );
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
      ...strip(one),
      make("div", "results", null, ...one.results.map((each, i) => result(each, names[i]))),
    );
    const command = `mabench show RUN --source '${one.source}' --row ${one.row} --question ${one.index}`;
    at("body").append(make("p", "facts", "More, with the prompt: ", make("code", "", command)));
    const index = found.indexOf(one);
    at("previous").disabled = index < 1;
    at("next").disabled = index < 0 || index + 1 >= found.length;
    at("previous").onclick = () => location.replace(address(found[index - 1]));
    at("next").onclick = () => location.replace(address(found[index + 1]));
    if (!at("detail").open) at("detail").showModal();
    at("detail").scrollTop = 0;
    at("detail-title").focus();
  }

  function follow() {
    let id = "";
    try {
      if (location.hash.startsWith("#q/")) id = decodeURIComponent(location.hash.slice(3));
    } catch { /* A broken address names no question. */ }
    const one = byId.get(id);
    if (one) show(one);
    else if (at("detail").open) at("detail").close();
  }

  at("close").onclick = () => at("detail").close();
  at("detail").addEventListener("close", () => {
    if (!location.hash.startsWith("#q/")) return;
    const link = at("rows").querySelector(`a[href="${CSS.escape(location.hash)}"]`);
    history.replaceState(null, "", location.pathname + location.search);
    link?.focus();
  });
  at("detail").addEventListener("click", (event) => event.target === at("detail") && at("detail").close());
  at("filters").addEventListener("input", filter);
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("filters").addEventListener("reset", () => setTimeout(filter));
  at("more").addEventListener("click", showMore);
  addEventListener("hashchange", follow);
  filter();
  follow();
  document.documentElement.dataset.ready = "true";
})();
