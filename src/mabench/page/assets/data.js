
// What is told of questions of a data set.
function explorer(_, { make, words, cell, excerpt }) {
  const NAMES = { golds: "A gold occurs", "older values": "An older value occurs", evidence: "The evidence is" };
  const NOWHERE = "The golds are not quotes from the history, so the history is not searched for them.";
  const reasons = (one) => [...new Set(one.flags.map(([reason]) => reason))];
  const has = (values, wanted) =>
    !wanted || (wanted === "*" ? values.length > 0 : wanted === "-" ? !values.length : values.includes(wanted));
  const takes = (one, { type, flag }) => has(one.type ? [one.type] : [], type) && has(reasons(one), flag);
  const keys = {
    places: (one) => one.marks.golds?.length ?? -1,
    flags: (one) => reasons(one).join(),
  };
  const said = (one) => [...one.forms.flat(), one.named, one.date];
  const chip = (reason) => make("span", "chip misread", reason);

  const cells = (one) => [
    one.marks.golds ? cell("Places", one.marks.golds.length.toLocaleString("en")) : make("td"),
    make("td", "", null, ...(one.flags.length ? [make("div", "chips", null, ...reasons(one).map(chip))] : [])),
  ];

  function about(one, i) {
    const [normal, doubt, ...others] = one.forms[i];
    const texts = [`compared as ${normal || "nothing"}`, ...others.map((other) => `also ${other}`)];
    return [...texts.map((each) => words("span", "place words", each)), ...(doubt ? [chip(doubt)] : [])];
  }

  // The drawing of the row, with what stands there for this question alone.
  function strip(one) {
    const row = one.id.slice(0, one.id.lastIndexOf("/"));
    const drawn = [...document.querySelectorAll("[data-history]")].find((each) => each.dataset.history === row);
    if (!drawn) return [];
    const drawing = drawn.firstElementChild.cloneNode(true);
    for (const lane of drawing.querySelectorAll("[data-top]")) {
      const places = one.marks[lane.getAttribute("class")] ?? [];
      const bars = places.map(([start, wide]) => `M${start} ${lane.dataset.top}v22h${Math.max(4, wide)}v-22z`);
      lane.setAttribute("d", bars.join(""));
    }
    return [make("div", "history", null, drawing)];
  }

  function places([kind, name], one) {
    const { length } = one.marks[kind] ?? [];
    if (!length && (kind !== "golds" || !one.marks.golds)) return [];
    const where = { 0: "nowhere", 1: "at 1 place" }[length] ?? `at ${length.toLocaleString("en")} places`;
    const items = one.texts[kind].map(([depth, ...parts]) => excerpt(`${depth.toFixed(1)} % deep`, parts));
    const more = length > items.length ? [make("p", "facts", `and ${length - items.length} more`)] : [];
    return [make("h3", "", `${name} ${where}`), make("ol", "passages", null, ...items), ...more];
  }

  function body(one, golds) {
    const facts = [one.type && `type ${one.type}`, one.date, one.named && `id ${one.named}`, one.scored];
    const doubts = one.flags.map(([reason, detail]) => words("li", "words", `${reason}: ${detail}`));
    return [
      ...golds, words("p", "facts", facts.filter((fact) => fact).join(" \u00b7 ")),
      ...(doubts.length ? [make("h3", "", "Doubts of the audit"), make("ul", "golds", null, ...doubts)] : []),
      make("h3", "", "In the history"), ...strip(one),
      ...(one.marks.golds ? [] : [make("p", "facts", NOWHERE)]),
      ...Object.entries(NAMES).flatMap((each) => places(each, one)),
    ];
  }

  const head = ["source", "split", "row", "question_index", "question", "golds", "type", "date", "id", "places", "flags"];
  const lines = (one) => [[
    one.source, one.id.split("/")[0], one.row, one.index, one.question, JSON.stringify(one.answers),
    one.type, one.date, one.named, one.marks.golds?.length, reasons(one).join(" "),
  ]];
  const more = ["The same in a terminal: ", "mabench data show DATA"];
  return { takes, keys, said, cells, about, body, head, lines, more };
}
