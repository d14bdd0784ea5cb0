
// What is told of questions of a data set.
function explorer(_, { make, words, cell, text, excerpt }) {
  const number = (one, kind) => one.marks[kind]?.length;
  const passes = (values, wanted) =>
    !wanted || (wanted === "*" ? values.length > 0 : wanted === "-" ? !values.length : values.includes(wanted));
  const reasons = (one) => one.flags.map(([reason]) => reason);
  const takes = (one, { type, flag }) => passes(one.type ? [one.type] : [], type) && passes(reasons(one), flag);
  const keys = {
    places: (one) => number(one, "golds") ?? -1,
    flags: (one) => reasons(one).join(),
  };
  const said = (one) => [...one.forms.flat(), one.named ?? "", one.date ?? ""];

  function cells(one) {
    const places = number(one, "golds");
    const chips = [...new Set(reasons(one))].map((reason) => make("span", "chip misread", reason));
    return [
      places === undefined ? make("td") : cell("Places", make("span", "", places.toLocaleString("en"))),
      make("td", "", null, ...(chips.length ? [make("div", "chips", null, ...chips)] : [])),
    ];
  }

  function about(one, i) {
    const [normal, doubt, ...others] = one.forms[i];
    const more = others.map((other) => words("span", "place words", `also ${other}`));
    if (doubt) more.push(make("span", "chip misread", doubt));
    return [words("span", "place words", `compared as ${normal || "nothing"}`), ...more];
  }

  // The drawing of the row with the places of this question alone.
  function strip(one) {
    const name = one.id.slice(0, one.id.lastIndexOf("/"));
    const row = [...document.querySelectorAll("[data-history]")].find((each) => each.dataset.history === name);
    const drawing = row?.firstElementChild?.cloneNode(true);
    for (const lane of drawing?.querySelectorAll("[data-top]") ?? []) {
      const bar = ([start, width]) => `M${start} ${lane.dataset.top}h${Math.max(4, width)}v22h-${Math.max(4, width)}z`;
      lane.setAttribute("d", (one.marks[lane.getAttribute("class")] ?? []).map(bar).join(""));
    }
    return drawing ? [make("div", "history", null, drawing)] : [];
  }

  const WHAT = { golds: "A gold stands", replaced: "A replaced value stands", evidence: "The evidence is" };
  function places(one, kind) {
    const all = number(one, kind);
    if (all === undefined || (!all && kind !== "golds")) return [];
    const where = all ? `at ${all.toLocaleString("en")} place${all === 1 ? "" : "s"}` : "nowhere";
    const items = one.texts[kind].map(([depth, ...parts]) => excerpt(`${depth.toFixed(1)} % deep`, parts));
    const more = all > items.length ? [make("p", "facts", `and ${all - items.length} more`)] : [];
    return [make("h3", "", `${WHAT[kind]} ${where}`), make("ol", "passages", null, ...items), ...more];
  }

  function body(one) {
    const facts = [one.type && `type ${one.type}`, one.date, one.named && `id ${one.named}`, one.scored];
    const doubts = one.flags.map(([reason, detail]) => make("li", "words", `${reason}: ${detail}`));
    const unsought = number(one, "golds") === undefined
      ? [make("p", "facts", "The golds are not words of the history, so they are not looked for in it.")] : [];
    return [
      words("p", "facts", facts.filter((fact) => fact).join(" \u00b7 ")),
      ...(doubts.length ? [make("h3", "", "Doubts of the audit"), make("ul", "golds", null, ...doubts)] : []),
      make("h3", "", "In the history"), ...strip(one), ...unsought, ...Object.keys(WHAT).flatMap((kind) => places(one, kind)),
    ];
  }

  const head = ["source", "split", "row", "question_index", "question", "golds", "type", "date", "id", "places", "flags"];
  const lines = (one) => [[
    one.source, one.id.split("/")[0], one.row, one.index, one.question, JSON.stringify(one.answers),
    one.type, one.date, one.named, number(one, "golds"), reasons(one).join(" "),
  ]];
  const more = ["The same in a terminal: ", "mabench data show DATA"];
  return { takes, keys, said, cells, about, body, head, lines, more };
}
