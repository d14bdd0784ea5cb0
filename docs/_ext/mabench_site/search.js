// How the search of this site orders what it finds: pages that are made from the program come
// after guides, unless the query is itself a name of the program, such as --max-cost.
const MADE_FROM_THE_PROGRAM =
  /^reference\/(commands\/|audit|command-line|fields|http|knobs|published-figures|python|scoring|sources)/;
const IS_A_NAME = /^-|[._/]/;
const QUERY = new URLSearchParams(window.location.search).get("q") || "";

var Scorer = {
  score: ([page, , , , score]) =>
    MADE_FROM_THE_PROGRAM.test(page) && !IS_A_NAME.test(QUERY.trim()) ? score - 1000 : score,

  // Those of Sphinx.
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
