// What the reader asked for, as the address of the page holds it: `#all-rows?isa=rv32i&least.size=1024&sort=-cycles`.
(() => {
  "use strict";
  const { explorer } = globalThis;
  const SECTION = "#all-rows";

  class State {
    constructor(table) {
      this.table = table;
      this.clear();
      this.pins = [];
    }

    clear() {
      this.search = "";
      this.values = new Map();
      this.ranges = new Map();
      this.groups = [];
      this.shown = this.table.metric;
      this.sort = null;
      this.all = false;
      this.axes = null;
    }

    /// Whether any row may be left out.
    get filters() {
      return this.search.trim() !== "" || this.values.size > 0 || this.ranges.size > 0;
    }

    toHash() {
      const said = new URLSearchParams();
      if (this.search.trim()) said.set("search", this.search.trim());
      for (const [name, wanted] of this.values) for (const value of wanted) said.append(name, value ?? "");
      for (const [name, { least, most }] of this.ranges) {
        if (least !== -Infinity) said.set(`least.${name}`, String(least));
        if (most !== Infinity) said.set(`most.${name}`, String(most));
      }
      for (const name of this.groups) said.append("group", name);
      if (this.groups.length && this.shown !== this.table.metric) said.set("metric", this.shown);
      if (this.sort) said.set("sort", (this.sort.descending ? "-" : "") + this.sort.name);
      if (this.all) said.set("columns", "all");
      if (this.axes) for (const [axis, name] of Object.entries(this.axes)) if (name) said.set(`axis.${axis}`, name);
      for (const row of this.pins) said.append("pin", this.name(row));
      const text = said.toString();
      return text ? `${SECTION}?${text}` : SECTION;
    }

    /// Whether `hash` is such an address; what it names and the table does not have is left out.
    fromHash(hash) {
      if (!hash.startsWith(`${SECTION}?`)) return false;
      const said = new URLSearchParams(hash.slice(SECTION.length + 1));
      const { table } = this;
      const known = (name) => table.column(name) !== undefined;
      this.clear();
      this.search = said.get("search") ?? "";
      for (const name of new Set(said.keys())) {
        const [bound, column] = name.split(".");
        if (known(name)) {
          const { values } = table.column(name).distinct();
          const wanted = said.getAll(name);
          this.values.set(name, new Set(values.filter((value) => wanted.includes(String(value ?? "")))));
        } else if (known(column) && table.column(column).numeric && (bound === "least" || bound === "most")) {
          this.bound(column, bound, said.get(name));
        }
      }
      this.groups = said.getAll("group").filter(known).slice(0, 2);
      const metric = said.get("metric");
      if (metric && known(metric) && table.column(metric).numeric) this.shown = metric;
      const sort = said.get("sort") ?? "";
      const name = sort.replace(/^-/, "");
      if (known(name)) this.sort = { name, descending: sort.startsWith("-") };
      this.all = said.get("columns") === "all";
      const axes = Object.fromEntries(["x", "y", "colour"].map((axis) => [axis, said.get(`axis.${axis}`)]));
      if (known(axes.x) && known(axes.y)) this.axes = { ...axes, colour: known(axes.colour) ? axes.colour : null };
      for (const scale of ["logx", "logy"]) if (this.axes && said.has(`axis.${scale}`)) this.axes[scale] = "yes";
      this.pins = said.getAll("pin").map((text) => this.row(text)).filter((row) => row !== null).slice(0, 2);
      return true;
    }

    /// Set one end of a column's range by what was typed; nothing typed, or no number, leaves it open.
    bound(name, end, typed) {
      const number = typed === null || String(typed).trim() === "" ? NaN : Number(typed);
      const range = this.ranges.get(name) ?? { least: -Infinity, most: Infinity };
      range[end] = Number.isNaN(number) ? (end === "least" ? -Infinity : Infinity) : number;
      if (range.least === -Infinity && range.most === Infinity) this.ranges.delete(name);
      else this.ranges.set(name, range);
    }

    /// A row's name in addresses: its point, if no other row has it.
    name(row) {
      const { codes, words } = this.table.column("point");
      const code = codes[row];
      return codes.indexOf(code) === codes.lastIndexOf(code) ? words[code] : `row-${row}`;
    }

    row(name) {
      const numbered = /^row-(\d+)$/.exec(name);
      if (numbered) return Number(numbered[1]) < this.table.count ? Number(numbered[1]) : null;
      const { codes, words } = this.table.column("point");
      const code = words.indexOf(name);
      const row = code < 0 ? -1 : codes.indexOf(code);
      return row < 0 ? null : row;
    }
  }

  explorer.State = State;
})();
