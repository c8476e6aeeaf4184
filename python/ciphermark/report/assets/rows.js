// The table of all rows: filtered, sorted and paged here, since a study may have tens of thousands.
(() => {
  "use strict";
  const PAGE = 25;
  const number = globalThis.formatNumber;
  const store = JSON.parse(document.getElementById("row-data").textContent);
  const root = document.getElementById("row-browser");
  const filters = document.getElementById("filters");
  const grid = document.getElementById("rows");
  const search = document.getElementById("row-search");
  const showAll = document.getElementById("show-all");
  const status = document.getElementById("row-status");
  const [previous, next] = root.querySelectorAll(".pager button");
  const state = { sort: null, descending: false, page: 0, open: new Set(), order: [] };

  const raw = (column, row) => {
    const values = store.values[column];
    return Array.isArray(values) ? values[row] : values.words[values.index[row]];
  };

  const text = (column, row) => {
    const value = raw(column, row);
    if (value === null) return "";
    return store.columns[column].decimals === null ? String(value) : number(value, store.columns[column].decimals);
  };

  const make = (parent, tag, content, name) => {
    const element = parent.appendChild(document.createElement(tag));
    if (content !== undefined) element.textContent = content;
    if (name) element.className = name;
    return element;
  };

  const place = (name) => store.columns.findIndex((column) => column.name === name);
  const selects = ["algorithm", "operation", "implementation", "isa", "compiler", "opt", "engine", "size", "verdict"]
    .map(place)
    .map((column) => ({ column, words: [...new Set(Array.from({ length: store.count }, (_, row) => raw(column, row)))] }))
    .filter(({ words }) => words.length > 1)
    .map(({ column, words }) => {
      const label = make(filters, "label", store.columns[column].label + " ");
      const select = make(label, "select");
      make(select, "option", "all").value = "";
      if (store.columns[column].decimals !== null) words.sort((a, b) => a - b);
      words.forEach((word, index) => {
        const formatted = word === null ? "not measured" : store.columns[column].decimals === null ? word : number(word, 0);
        make(select, "option", formatted).value = String(index);
      });
      return { column, words, select };
    });

  const visible = () => store.columns.map((column, index) => ({ ...column, index }))
    .filter((column) => !column.on_demand && (showAll.checked || !column.alike));

  function matching() {
    const wanted = selects.filter(({ select }) => select.value !== "")
      .map(({ column, words, select }) => [column, words[Number(select.value)]]);
    const terms = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const searched = store.columns.map((_, index) => index).filter((index) => store.columns[index].decimals === null);
    const rows = [];
    for (let row = 0; row < store.count; row += 1) {
      if (!wanted.every(([column, value]) => raw(column, row) === value)) continue;
      if (terms.length) {
        const line = searched.map((column) => raw(column, row) ?? "").join("\n").toLowerCase();
        if (!terms.every((term) => line.includes(term))) continue;
      }
      rows.push(row);
    }
    if (state.sort !== null) {
      const sign = state.descending ? -1 : 1;
      rows.sort((a, b) => {
        const x = raw(state.sort, a), y = raw(state.sort, b);
        if (x === y) return a - b;
        if (x === null) return 1;
        if (y === null) return -1;
        return sign * (x < y ? -1 : 1);
      });
    }
    return rows;
  }

  function header(columns) {
    const row = make(grid.tHead, "tr");
    make(make(row, "th"), "span", "Details", "visually-hidden");
    for (const column of columns) {
      const th = make(row, "th", undefined, column.decimals === null ? "" : "num");
      th.scope = "col";
      const active = state.sort === column.index;
      th.setAttribute("aria-sort", active ? (state.descending ? "descending" : "ascending") : "none");
      const button = make(th, "button", column.label);
      button.type = "button";
      button.dataset.column = column.name;
      button.addEventListener("click", () => {
        state.descending = active && !state.descending;
        state.sort = column.index;
        refresh();
        grid.querySelector(`button[data-column="${column.name}"]`).focus();
      });
    }
  }

  function histogram(parent, counts) {
    const SVG = "http://www.w3.org/2000/svg";
    const entries = counts.flatMap((word, place) => (place % 2 ? [] : [[store.opcodes.words[word], counts[place + 1]]]))
      .sort((a, b) => b[1] - a[1]);
    const most = entries.length ? entries[0][1] : 1;
    make(parent, "h4", "Executed opcodes of the timed region");
    const table = make(parent, "table", undefined, "histogram");
    for (const [mnemonic, count] of entries) {
      const row = make(table, "tr");
      make(row, "td", mnemonic, "mono");
      make(row, "td", number(count, 0), "num");
      const svg = make(row, "td").appendChild(document.createElementNS(SVG, "svg"));
      svg.setAttribute("width", "160");
      svg.setAttribute("height", "9");
      svg.setAttribute("aria-hidden", "true");
      const bar = svg.appendChild(document.createElementNS(SVG, "rect"));
      bar.setAttribute("width", String(Math.max(1, 160 * count / most)));
      bar.setAttribute("height", "9");
    }
  }

  function detail(row, span) {
    const cell = make(make(grid.tBodies[0], "tr", undefined, "detail"), "td");
    cell.colSpan = span;
    const box = make(cell, "div", undefined, "detail-box");
    const list = make(box, "dl");
    const missing = [];
    store.columns.forEach((column, index) => {
      if (raw(index, row) === null) {
        if (column.metric) missing.push(column.label.toLowerCase());
      } else if (column.on_demand || column.name === "note" || column.name === "verdict") {
        make(list, "dt", column.label);
        make(list, "dd", text(index, row));
      }
    });
    if (missing.length) {
      make(list, "dt", "Not measured");
      make(list, "dd", missing.join(", "));
    }
    const counts = store.opcodes.rows[String(row)];
    if (counts) histogram(box, counts);
    else make(box, "p", "The histogram of this row, if one was taken, is in rows.jsonl.", "note");
  }

  function body(columns) {
    for (const row of state.order.slice(state.page * PAGE, (state.page + 1) * PAGE)) {
      const line = make(grid.tBodies[0], "tr");
      const open = state.open.has(row);
      const button = make(make(line, "td"), "button", open ? "\u2212" : "+", "open");
      button.type = "button";
      button.setAttribute("aria-expanded", String(open));
      button.setAttribute("aria-label", "Provenance of this row");
      button.addEventListener("click", () => {
        if (!state.open.delete(row)) state.open.add(row);
        show();
      });
      for (const column of columns) {
        const absent = raw(column.index, row) === null;
        const name = (column.decimals === null ? "long" : "num") + (absent ? " absent" : "");
        const cell = make(line, "td", text(column.index, row), name);
        if (absent) cell.title = column.label + ": not measured";
        else if (column.name === "note") cell.title = text(column.index, row);
      }
      if (open) detail(row, columns.length + 1);
    }
  }

  function show() {
    const columns = visible();
    grid.tHead.replaceChildren();
    grid.tBodies[0].replaceChildren();
    header(columns);
    body(columns);
    const first = state.page * PAGE;
    const last = Math.min(first + PAGE, state.order.length);
    status.textContent = state.order.length
      ? `${number(first + 1, 0)}\u2013${number(last, 0)} of ${number(state.order.length, 0)} rows`
      : "No row matches.";
    previous.disabled = state.page === 0;
    next.disabled = last >= state.order.length;
  }

  function refresh() {
    state.order = matching();
    state.page = 0;
    show();
  }

  const turn = (by) => { state.page += by; show(); };
  previous.addEventListener("click", () => turn(-1));
  next.addEventListener("click", () => turn(1));
  showAll.addEventListener("change", show);
  search.addEventListener("input", refresh);
  for (const { select } of selects) select.addEventListener("change", refresh);
  root.hidden = false;
  refresh();
})();
