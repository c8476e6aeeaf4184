// The table of rows. Only those in sight are part of the page, since there may be a hundred thousand.
(() => {
  "use strict";
  const { explorer } = globalThis;
  const { make, button } = explorer;
  const AROUND = 8;

  class Grid {
    constructor(state, { sorted, pinned, chosen }) {
      Object.assign(this, { state, table: state.table, sorted, pinned, chosen });
      this.grid = document.getElementById("rows");
      this.box = this.grid.parentNode;
      this.body = this.grid.tBodies[0];
      this.rows = new Uint32Array();
      this.groups = null;
      let asked = false;
      this.box.addEventListener("scroll", () => {
        if (asked) return;
        asked = true;
        requestAnimationFrame(() => { asked = false; this.draw(); });
      }, { passive: true });
      new ResizeObserver(() => this.draw()).observe(this.box);
    }

    get columns() {
      return this.table.columns.filter((column) => !column.on_demand && (this.state.all || !column.alike));
    }

    show(rows, groups) {
      const turned = (groups === null) !== (this.groups === null);
      const narrowed = rows.length !== this.rows.length;
      this.rows = rows;
      this.groups = groups;
      this.window = null;
      if (turned || narrowed) this.box.scrollTop = 0;
      this.head();
      this.draw();
    }

    get length() {
      return this.groups?.length ?? this.rows.length;
    }

    /// What is shown as names, each with the class of its cells.
    heads() {
      if (!this.groups) return this.columns.map((column) => [column.label, column.numeric ? "num" : ""]);
      const metric = this.table.column(this.state.shown).label;
      return [
        ...this.state.groups.map((name) => [this.table.column(name).label, ""]),
        ["Rows", "num"], [`${metric}, least`, "num"], ["median", "num"], ["greatest", "num"],
      ];
    }

    head() {
      const focused = document.activeElement?.dataset.column;
      const within = this.grid.tHead.contains(document.activeElement);
      this.grid.tHead.replaceChildren();
      this.grid.setAttribute("aria-rowcount", String(this.length + 1));
      const row = make(this.grid.tHead, "tr");
      row.setAttribute("aria-rowindex", "1");
      make(make(row, "th"), "span", this.groups ? "Choose" : "Pin", "visually-hidden");
      if (this.groups) {
        for (const [text, kind] of this.heads()) make(row, "th", text, kind).scope = "col";
        return;
      }
      for (const column of this.columns) {
        const th = make(row, "th", undefined, column.numeric ? "num" : "");
        th.scope = "col";
        const { sort } = this.state;
        const active = sort?.name === column.name;
        th.setAttribute("aria-sort", active ? (sort.descending ? "descending" : "ascending") : "none");
        const press = button(th, column.label, () => this.sorted(column.name));
        press.dataset.column = column.name;
      }
      if (within && focused) this.grid.tHead.querySelector(`button[data-column="${CSS.escape(focused)}"]`)?.focus();
    }

    /// A line without height that is as wide as the longest cell of each column, so that scrolling moves no column.
    ruler() {
      const line = make(this.body, "tr", undefined, "ruler");
      line.setAttribute("aria-hidden", "true");
      make(line, "td", "Pin A");
      if (this.groups) {
        const cells = this.groups.map((group) => this.cellsOf(group));
        for (let place = 0; place < this.heads().length; place += 1) {
          make(line, "td", cells.reduce((longest, each) => (each[place].length > longest.length ? each[place] : longest), ""));
        }
        return;
      }
      for (const column of this.columns) make(line, "td", this.longest(column), column.numeric ? "num" : "long");
    }

    longest(column) {
      column.longest ??= column.distinct().values.reduce((longest, value) => {
        const text = column.shown(value);
        return text.length > longest.length ? text : longest;
      }, "");
      return column.longest;
    }

    cellsOf(group) {
      const { state, table } = this;
      const metric = table.column(state.shown);
      return [
        ...group.values.map((value, place) => table.column(state.groups[place]).shown(value) || "\u2013"),
        globalThis.formatNumber(group.count, 0),
        ...[group.least, group.median, group.most].map((value) => metric.shown(value)),
      ];
    }

    draw() {
      this.height ??= this.measured();
      const view = Math.ceil(this.box.clientHeight / this.height);
      const first = Math.max(0, Math.floor(this.box.scrollTop / this.height) - AROUND);
      const last = Math.min(this.length, first + view + 2 * AROUND);
      if (this.window && this.window[0] === first && this.window[1] === last) return;
      this.window = [first, last];
      const held = this.body.contains(document.activeElement) ? document.activeElement.dataset.row : undefined;
      this.body.replaceChildren();
      this.ruler();
      this.space(first);
      for (let place = first; place < last; place += 1) this.line(place);
      this.space(this.length - last);
      if (held === undefined) return;
      const again = this.body.querySelector(`button[data-row="${held}"]`);
      (again ?? this.box).focus({ preventScroll: true });
    }

    measured() {
      const line = make(this.body, "tr");
      make(line, "td", "\u2013");
      const height = line.getBoundingClientRect().height;
      line.remove();
      return height || 32;
    }

    space(lines) {
      if (lines <= 0) return;
      const line = make(this.body, "tr", undefined, "space");
      line.setAttribute("aria-hidden", "true");
      const cell = make(line, "td");
      cell.colSpan = this.heads().length + 1;
      cell.style.height = `${lines * this.height}px`;
    }

    line(place) {
      const line = make(this.body, "tr");
      line.setAttribute("aria-rowindex", String(place + 2));
      if (this.groups) this.groupLine(line, place);
      else this.rowLine(line, this.rows[place]);
    }

    groupLine(line, place) {
      const group = this.groups[place];
      const cells = this.cellsOf(group);
      const press = button(make(line, "td"), "Only", () => this.chosen(group));
      press.className = "open";
      press.dataset.row = String(place);
      press.setAttribute("aria-label", `Only the rows of ${cells.slice(0, group.values.length).join(", ")}`);
      this.heads().forEach(([, kind], index) => make(line, "td", cells[index], kind));
    }

    rowLine(line, row) {
      const at = this.state.pins.indexOf(row);
      const press = button(make(line, "td"), at < 0 ? "Pin" : `Pin ${"AB"[at]}`, () => this.pinned(row));
      press.className = "open";
      press.dataset.row = String(row);
      press.setAttribute("aria-pressed", String(at >= 0));
      press.setAttribute("aria-label", `${press.textContent} ${explorer.title(this.table, row)}`);
      if (at >= 0) line.className = "pinned";
      for (const column of this.columns) {
        const text = column.text(row);
        const absent = column.raw(row) === null;
        const cell = make(line, "td", text, (column.numeric ? "num" : "long") + (absent ? " absent" : ""));
        if (absent) cell.title = `${column.label}: not measured`;
        else if (column.name === "note") cell.title = text;
      }
    }
  }

  /// A row in words: what tells it from most others.
  explorer.title = (table, row) => {
    const of = (name) => table.column(name).text(row);
    const work = `${of("algorithm")} ${of("operation")}`.trim();
    const parts = [of("implementation"), work, `${of("size")}\u202fB`, of("isa"), `${of("compiler")}\u00a0-${of("opt")}`, of("machine") || of("engine")];
    if (of("state")) parts.push(of("state"));
    if (of("vlen")) parts.push(`VLEN ${of("vlen")}`);
    return parts.filter(Boolean).join(", ");
  };
  explorer.Grid = Grid;
})();
