// Explore: rows are filtered, grouped, drawn, pinned and copied; the address holds what was asked for.
(() => {
  "use strict";
  const { explorer } = globalThis;
  const { select } = explorer;
  const given = JSON.parse(document.getElementById("row-data").textContent);
  const root = document.getElementById("explore");
  const table = new explorer.Table(given);
  const state = new explorer.State(table);
  const query = new explorer.Query(table);
  const status = document.getElementById("row-status");
  const listings = new explorer.Listings(given.listings, given.count);
  let written = location.hash;

  function refresh() {
    const rows = query.rows(state);
    const groups = state.groups.length ? query.groups(rows, state.groups, state.shown) : null;
    grid.show(rows, groups);
    const count = globalThis.formatNumber;
    const all = `${count(given.count, 0)} row${given.count === 1 ? "" : "s"}`;
    status.textContent = rows.length ? `${count(rows.length, 0)} of ${all}${groups ? ` in ${count(groups.length, 0)} groups` : ""}` : "No row matches.";
    filters.reset.disabled = !state.filters && !state.groups.length && !state.sort && !state.all && !state.axes;
    metric.closest("label").hidden = !state.groups.length;
    pins.show();
    plot.draw(rows);
  }

  /// The reader asked for something: show it and say it in the address.
  function changed() {
    refresh();
    const hash = state.toHash();
    if (hash === location.hash || (hash === "#all-rows" && !location.hash)) return;
    written = hash;
    history.replaceState(history.state, "", hash);
  }

  function follow() {
    filters.follow();
    groups.forEach((element, place) => { element.value = state.groups[place] ?? ""; });
    groups[1].closest("label").hidden = !state.groups.length;
    metric.value = state.shown;
    refresh();
  }

  const grid = new explorer.Grid(state, {
    sorted: (name) => {
      const again = state.sort?.name === name;
      state.sort = { name, descending: again && !state.sort.descending };
      changed();
    },
    pinned: (row) => pins.toggle(row),
    chosen: (group) => {
      state.groups.forEach((name, place) => state.values.set(name, new Set([group.values[place]])));
      state.groups = [];
      follow();
      changed();
      grid.box.focus();
    },
  });
  const pins = new explorer.Pins(document.getElementById("pinned"), state, given.counts, listings, changed);
  const filters = new explorer.Filters(document.getElementById("filters"), state, changed);
  const plot = new explorer.Plot(document.getElementById("row-plot"), state, changed);

  const view = document.getElementById("row-view");
  const offered = table.columns.filter((column) => !column.on_demand && !column.alike && column.distinct().values.length > 1
    && (!column.metric || column.distinct().values.length <= 100)).map((column) => [column.name, column.label]);
  const groups = ["Group by", "and"].map((label, place) => select(view, `group-${place + 1}`, label, [["", "nothing"], ...offered], (name) => {
    state.groups[place] = name;
    state.groups = [...new Set(state.groups.filter(Boolean))];
    follow();
    changed();
  }));
  const metric = select(view, "metric", "showing", table.columns.filter((column) => column.metric && column.numeric
    && column.distinct().values.some((value) => value !== null)).map((column) => [column.name, column.label]), (name) => {
    state.shown = name;
    changed();
  });
  const field = document.getElementById("row-copied");
  for (const press of document.querySelectorAll("#row-copy button")) {
    press.addEventListener("click", async () => {
      const done = await explorer.copy(explorer.exported(press.dataset.copy, grid), field);
      document.getElementById("copy-status").textContent = done ? `${press.textContent} copied.` : "Copy the text below.";
    });
  }

  const linked = () => {
    if (location.hash === written && explorer.ready) return;
    written = location.hash;
    if (!state.fromHash(location.hash)) return;
    follow();
    root.closest("section").scrollIntoView();
  };
  addEventListener("hashchange", linked);
  root.hidden = false;
  follow();
  linked();
  explorer.ready = true;
  Object.assign(explorer, { table, state, query, grid });
})();
