// One row by itself, or two side by side: figures with their ratio, cycles by cause, opcodes, and code.
(() => {
  "use strict";
  const { explorer } = globalThis;
  const { make, button, scrolled } = explorer;
  const SVG = "http://www.w3.org/2000/svg";
  const WIDTH = 240;
  const number = (value, decimals = 0) => globalThis.formatNumber(value, decimals);
  const ratio = (a, b) => (a === null || b === null || !a ? "" : number(b / a, 3));

  function bar(cell, part, whole, colour) {
    const svg = cell.appendChild(document.createElementNS(SVG, "svg"));
    const size = Math.round(WIDTH * (whole ? part / whole : 0));
    for (const [name, value] of [["width", WIDTH / 2], ["height", 9], ["viewBox", `0 0 ${WIDTH} 18`], ["aria-hidden", true], ["preserveAspectRatio", "none"]]) svg.setAttribute(name, String(value));
    const rect = svg.appendChild(document.createElementNS(SVG, "rect"));
    rect.setAttribute("width", String(part ? Math.max(1, size) : 0));
    rect.setAttribute("height", "18");
    rect.setAttribute("class", colour);
  }

  class Pins {
    constructor(place, state, counts, listings, changed) {
      Object.assign(this, { place, state, table: state.table, counts, listings, changed });
      this.turn = 0;
    }

    toggle(row) {
      const { state } = this;
      const at = state.pins.indexOf(row);
      if (at >= 0) state.pins.splice(at, 1);
      else if (state.pins.length < 2) state.pins.push(row);
      else state.pins[1] = row;
      this.changed();
    }

    async show() {
      const key = this.state.pins.join(",");
      if (key === this.key) return;
      this.key = key;
      const turn = ++this.turn;
      const { pins } = this.state;
      this.place.hidden = pins.length === 0;
      if (!pins.length) { this.place.replaceChildren(); return; }
      const made = document.createElement("div");
      this.head(made, pins);
      this.figures(made, pins);
      const waiting = make(made, "div");
      this.place.replaceChildren(...made.childNodes);
      this.place.dataset.pins = "";
      try {
        const causes = await this.of("causes", pins), opcodes = await this.of("opcodes", pins);
        const code = await Promise.all(pins.map((row) => this.listings.find(row)));
        if (turn !== this.turn) return;
        if (causes.some(Boolean)) this.histogram(waiting, "Cycles by what they were spent on", "Cause", causes);
        if (opcodes.some(Boolean)) this.histogram(waiting, "Executed opcodes of the timed region", "Opcode", opcodes);
        else make(waiting, "p", "The histogram of this row, if one was taken, is in rows.jsonl.", "note");
        this.code(waiting, pins, code);
      } catch (error) {
        make(waiting, "p", `Opcodes and code cannot be shown: ${error.message}.`, "note");
      }
      this.place.dataset.pins = this.key;
    }

    /// Of each pinned row its counts by word, or `null`.
    async of(kind, pins) {
      this.counted ??= {};
      const { words, sets, rows } = await (this.counted[kind] ??= explorer.unpacked(this.counts[kind]));
      return pins.map((row) => {
        const found = rows[String(row)];
        return found ? new Map(sets[found[0]].map((word, place) => [words[word], found[place + 1]])) : null;
      });
    }

    head(parent, pins) {
      make(parent, "h3", pins.length === 2 ? "Two rows side by side" : "One row").id = "pinned-h";
      const list = make(parent, "ul", undefined, "pins");
      pins.forEach((row, at) => {
        const item = make(list, "li");
        make(item, "strong", `${"AB"[at]} `);
        item.append(`${explorer.title(this.table, row)} `);
        const press = button(item, "Unpin", () => { this.toggle(row); document.getElementById("rows").parentNode.focus(); });
        press.setAttribute("aria-label", `Unpin ${"AB"[at]}`);
      });
      if (pins.length === 1) make(parent, "p", "Pin a second row to see both side by side.", "note");
      else button(list.lastChild, "Swap A and B", () => { this.state.pins.reverse(); this.changed(); });
    }

    figures(parent, pins) {
      const two = pins.length === 2;
      const heads = [["Column"], ["A", "num"], ...(two ? [["B", "num"], ["B \u00f7 A", "num"]] : [])];
      const { body } = scrolled(parent, "Figures of the pinned rows", heads);
      const missing = [];
      for (const column of this.table.columns) {
        const values = pins.map((row) => column.raw(row));
        if (values.every((value) => value === null)) {
          if (column.metric) missing.push(column.label.toLowerCase());
          continue;
        }
        if (!column.metric && two && values[0] === values[1] && !column.on_demand && column.name !== "verdict") continue;
        const line = make(body, "tr", undefined, two && values[0] !== values[1] ? "differs" : "");
        make(line, "th", column.label).scope = "row";
        for (const row of pins) make(line, "td", column.text(row), column.numeric ? "num" : "long");
        if (two) make(line, "td", column.metric ? ratio(...values) : "", "num");
      }
      if (missing.length) make(parent, "p", `Not measured: ${missing.join(", ")}.`, "note");
    }

    histogram(parent, title, what, found) {
      make(parent, "h4", title);
      const two = found.length === 2;
      const maps = found.map((each) => each ?? new Map());
      const most = (word) => Math.max(...maps.map((each) => each.get(word) ?? 0));
      const words = [...new Set(maps.flatMap((each) => [...each.keys()]))].sort((a, b) => most(b) - most(a) || (a < b ? -1 : 1));
      const greatest = words.length ? most(words[0]) : 1;
      const heads = [[what], ["A", "num"], ...(two ? [["B", "num"], ["B \u2212 A", "num"], ["B \u00f7 A", "num"]] : []), [two ? "A above B" : "Bar"]];
      const { body, table } = scrolled(parent, title, heads, true);
      table.className = "histogram";
      const total = maps.map((each) => [...each.values()].reduce((sum, count) => sum + count, 0));
      for (const [word, counts] of [["all", total], ...words.map((each) => [each, maps.map((map) => map.get(each) ?? 0)])]) {
        const line = make(body, "tr", undefined, two && counts[0] !== counts[1] ? "differs" : "");
        make(line, "th", word, "mono").scope = "row";
        counts.forEach((count, at) => make(line, "td", found[at] === null ? "" : number(count), "num"));
        if (two) {
          const both = found.every(Boolean);
          make(line, "td", both ? number(counts[1] - counts[0]) : "", "num");
          make(line, "td", both ? ratio(counts[0], counts[1]) : "", "num");
        }
        const cell = make(line, "td", undefined, "bars");
        if (word !== "all" || counts !== total) counts.forEach((count, at) => bar(cell, count, greatest, "ab"[at]));
      }
    }

    code(parent, pins, code) {
      make(parent, "h4", "The code of the timed call");
      const columns = make(parent, "div", undefined, "beside");
      pins.forEach((row, at) => {
        const part = make(columns, "div");
        if (pins.length === 2) make(part, "h5", `${"AB"[at]}: ${this.table.column("implementation").text(row)}, ${this.table.column("isa").text(row)}`);
        explorer.showCode(part, this.table, row, code[at]);
      });
    }
  }

  explorer.Pins = Pins;
})();
