
"use strict";
(async () => {
  const at = (id) => document.getElementById(id);
  const PAGE = 50;
  const about = JSON.parse(at("data").dataset.about);
  const { titles } = about;
  const fields = [...at("filters").querySelectorAll("input, select"), at("pair")].filter((field) => field);
  // What is told of a question, and by what it is chosen: of runs, or of a data set.
  const kind = explorer(about, { make, words, cell, text, excerpt, download });
  const questions = await unpacked(at("data").content.textContent);
  at("data").remove();
  const byId = new Map(questions.map((one) => [one.id, one]));
  for (const [place, one] of questions.entries()) one.place = place;
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

  // Made for the first search, so that a page of many questions opens quickly.
  function haystack(one) {
    one.text ??= [one.id, one.question, ...one.answers, ...kind.said(one)].join("\n").toLowerCase();
    return one.text;
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

  function cell(title, ...inside) {
    const element = make("td", "", null, ...inside);
    element.dataset.title = title;
    return element;
  }

  function text(said) {
    return words("span", "said", (said ?? "").slice(0, 400));
  }

  // A text in parts, every second of which is marked.
  function excerpt(about, texts) {
    const parts = texts.map((text, i) => (i % 2 ? make("mark", "", text) : text));
    const item = make("li", "", null, make("b", "", about));
    if (parts.length) item.append(make("p", "words", null, ...parts));
    item.lastChild.dir = "auto";
    return item;
  }

  // What a column is sorted by.
  const keys = {
    question: (one) => one.question,
    gold: (one) => one.answers[0] ?? "",
    ...kind.keys,
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
        kind.takes(one, chosen) &&
        (!text || haystack(one).includes(text)),
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

  function row(one) {
    const link = words("a", "", one.question.slice(0, 400).trim() || "(no text)");
    link.href = address(one);
    link.dataset.id = one.id;
    const asked = make("td", "", null, link, make("span", "place", place(one)));
    return make("tr", "", null, asked, cell("Gold", text(one.answers[0])), ...kind.cells(one));
  }

  function show(one) {
    at("detail-title").textContent = place(one);
    const golds = one.answers.map((answer) => words("li", "words", answer));
    golds.forEach((gold, i) => gold.append(...kind.about(one, i)));
    at("body").replaceChildren(
      make("h3", "", "Question"), words("p", "words", one.question),
      ...kind.body(one, [make("h3", "", golds.length > 1 ? "Golds" : "Gold"), make("ul", "golds", null, ...golds)]),
    );
    const [more, verb] = kind.more;
    const command = `${verb} --source '${one.source}' --row ${one.row} --question ${one.index}`;
    at("body").append(make("p", "facts", more, make("code", "", command)));
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

  const isTyped = (event) =>
    event.ctrlKey || event.altKey || event.metaKey || ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);

  // With j and k, too, unless they are typed into a field.
  function step(event) {
    const letter = isTyped(event) ? 0 : { j: 1, k: -1 }[event.key];
    const by = letter || { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const listed = links();
    const next = listed.indexOf(document.activeElement) + by;
    if (!by || next < 0 || at("detail").open) return;
    event.preventDefault();
    if (next === listed.length) showMore();
    links()[next]?.focus();
  }

  // As `csv_text.py` writes them; a text that a spreadsheet takes for a formula is quoted.
  function csv() {
    const FORMULA = /^(?:[\s\0-\x1f\x7f-\x9f\u200b-\u200f\u2060\ufeff]*[=+\-@\uff0b\uff0d\uff1d\uff20]|[\t\r\n])/;
    const cell = (value) => {
      if (typeof value !== "string") return value ?? "";
      const text = (FORMULA.test(value) ? `'${value}` : value).toWellFormed();
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const lines = [kind.head, ...found.flatMap(kind.lines)];
    return lines.map((line) => line.map(cell).join(",") + "\r\n").join("");
  }

  function download(name, type, text) {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href));
  }

  const save = () => download("questions.csv", "text/csv", csv());

  at("close").onclick = () => at("detail").close();
  at("detail").addEventListener("close", () => {
    if (!location.hash.startsWith("#q/")) return;
    stay();
    while (shown <= found.indexOf(current)) showMore();
    links().find((link) => link.dataset.id === current.id)?.focus();
  });
  at("detail").addEventListener("keydown", (event) => {
    const id = { ArrowLeft: "previous", ArrowRight: "next", k: "previous", j: "next" }[event.key];
    if (id && !isTyped(event) && !at(id).disabled) at(id).click();
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
  at("rows").addEventListener("click", (event) => {
    if (!event.target.closest("a") && getSelection().isCollapsed) event.target.closest("tr")?.querySelector("a").click();
  });
  at("list").addEventListener("keydown", step);
  addEventListener("keydown", (event) => ["j", "k"].includes(event.key) && !event.defaultPrevented && step(event));
  at("text").addEventListener("keydown", step);
  at("save").addEventListener("click", save);
  at("more").addEventListener("click", showMore);
  addEventListener("hashchange", follow);
  if (at("pair")) at("pair").closest("[hidden]").hidden = false;
  filter();
  follow();
  document.documentElement.dataset.ready = "true";
})();
