// Prints, as JSON, the pages that the site's search finds for each query, the best first:
// node find.js SITE QUERY...
const fs = require("fs");
const vm = require("vm");

const [site, ...queries] = process.argv.slice(2);

/** What Sphinx's search needs of a browser to find something without showing it. */
function browser(query) {
  return {
    document: { getElementById: () => null, addEventListener() {}, readyState: "loading" },
    window: { location: { search: `?q=${encodeURIComponent(query)}` } },
    localStorage: { setItem() {} },
    URLSearchParams,
    SPHINX_HIGHLIGHT_ENABLED: false,
    _ready() {},
    _: (text) => text,
  };
}

function find(query) {
  const context = vm.createContext(browser(query));
  const run = (code) => vm.runInContext(code, context);
  const read = (file) => fs.readFileSync(`${site}/${file}`, "utf8");
  run(read("_static/language_data.js"));
  run("var Stemmer = window.Stemmer");
  run(read("_static/searchtools.js").replace("const Search =", "var Search ="));
  run("Search.setIndex = (index) => { Search._index = index; }");
  run(read("searchindex.js"));
  const found = run(`Search._performSearch(...Search._parseQuery(${JSON.stringify(query)}))`);
  return found.reverse().map(([page]) => page);
}

console.log(JSON.stringify(Object.fromEntries(queries.map((query) => [query, find(query)]))));
