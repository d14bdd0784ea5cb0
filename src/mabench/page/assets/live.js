
"use strict";
// A served list of runs asks its own address how they proceed, and is loaded anew for a new one.
(() => {
  const PAUSE = 2000;
  const rows = [...document.querySelectorAll("#runs tbody tr")];
  const place = (title) =>
    [...document.querySelectorAll("#runs thead th")].findIndex((head) => head.textContent === title);
  const columns = { score: place("Score"), state: place("State"), asked: place("Asked") };
  const byName = new Map(rows.map((row) => [row.cells[0].textContent, row]));

  async function look() {
    const reply = await fetch("live", { cache: "no-store" });
    if (!reply.ok) return;
    const runs = await reply.json();
    if (runs.some((run) => !byName.has(run.name)) || runs.length !== rows.length) {
      location.reload();
      return;
    }
    for (const run of runs) {
      const { cells } = byName.get(run.name);
      if (run.linked && !cells[0].querySelector("a")) location.reload();
      for (const [name, column] of Object.entries(columns)) {
        if (column < 0) {  // Nothing was in it, so it is not on the page.
          if (run[name] !== "-") location.reload();
          continue;
        }
        if (cells[column].textContent !== run[name]) cells[column].textContent = run[name];
      }
    }
  }

  setInterval(() => { if (!document.hidden) look().catch(() => {}); }, PAUSE);
})();
