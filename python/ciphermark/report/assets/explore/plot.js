// A figure of the rows that are shown, drawn by the Vega-Lite that the page has.
(() => {
  "use strict";
  const { explorer } = globalThis;
  const { make, select } = explorer;
  const MOST = 5000;
  const MOST_COLOURS = 12;
  const SERIES = ["base", "zbb", "zbkb", "zkn", "both", "spare-2", "spare-3", "spare-1"].map((name) => `var(--isa-${name})`);
  const SHAPES = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross"];

  class Plot {
    constructor(place, state, changed) {
      this.state = state;
      this.table = state.table;
      this.place = place;
      this.chart = place.querySelector(".drawing");
      this.words = place.querySelector(".words");
      const choices = place.querySelector(".choices");
      const varied = this.table.columns.filter((column) => !column.on_demand && column.name !== "note" && !column.alike
        && (column.numeric ? column.distinct().values.some((value) => value !== null) : true));
      const options = varied.map((column) => [column.name, column.label]);
      const figures = varied.filter((column) => column.numeric).map((column) => [column.name, column.label]);
      const set = (axis) => (value) => { state.axes[axis] = value || null; changed(); };
      this.selects = {
        x: select(choices, "x", "Across", options, set("x")),
        y: select(choices, "y", "Up", figures, set("y")),
        colour: select(choices, "colour", "Colour", [["", "none"], ...options], set("colour")),
      };
      for (const [axis, text] of [["logx", "logarithmic across"], ["logy", "logarithmic up"]]) {
        const label = make(choices, "label");
        const box = this.selects[axis] = make(label, "input");
        box.type = "checkbox";
        box.value = "yes";
        label.append(` ${text}`);
        box.addEventListener("change", () => set(axis)(box.checked ? "yes" : ""));
      }
      this.possible = figures.length > 0 && options.length > 1;
      place.hidden = !this.possible;
      place.addEventListener("toggle", () => {
        if (place.open === (state.axes !== null)) return;
        state.axes = place.open ? this.usual() : null;
        changed();
      });
    }

    /// What one would ask for first: the metric by message size, else by implementation.
    usual() {
      const varies = (name) => [...this.selects.x.options].some((option) => option.value === name);
      const x = ["size", "implementation", "isa"].find(varies) ?? this.selects.x.options[0].value;
      const { metric } = this.table;
      const y = [...(x === "size" ? [`${metric}_per_byte`] : []), metric].find(varies) ?? this.selects.y.options[0].value;
      const colour = ["implementation", "isa", "machine"].find((name) => name !== x && varies(name)) ?? null;
      return { x, y, colour, logx: x === "size" ? "yes" : null, logy: null };
    }

    follow() {
      const { axes } = this.state;
      this.place.open = axes !== null && this.possible;
      if (!axes) return;
      for (const axis of ["x", "y", "colour"]) this.selects[axis].value = axes[axis] ?? "";
      for (const axis of ["logx", "logy"]) this.selects[axis].checked = axes[axis] === "yes";
    }

    /// Marks of the rows: theirs, or where there are too many the median of those with the same place and colour.
    marks(rows) {
      const { axes } = this.state;
      const [x, y, colour] = ["x", "y", "colour"].map((axis) => (axes[axis] ? this.table.column(axes[axis]) : null));
      const at = (value) => value !== null && (!x.numeric || axes.logx !== "yes" || value > 0);
      const marks = [];
      for (const row of rows) {
        const across = x.raw(row), up = y.raw(row);
        if (!at(across) || up === null || (axes.logy === "yes" && up <= 0)) continue;
        marks.push({ x: across, y: up, c: colour ? colour.text(row) || "not measured" : "", row });
      }
      if (marks.length <= MOST) return { marks, medians: false };
      const alike = new Map();
      for (const mark of marks) {
        const key = JSON.stringify([mark.x, mark.c]);
        if (!alike.has(key)) alike.set(key, { ...mark, all: [] });
        alike.get(key).all.push(mark.y);
      }
      const found = [...alike.values()].map(({ x: across, c, all, row }) => (
        { x: across, c, y: explorer.median(all.sort((a, b) => a - b)), row: all.length === 1 ? row : null }));
      return { marks: found, medians: true };
    }

    async draw(rows) {
      this.follow();
      if (!this.state.axes || !this.place.open) return;
      const turn = this.turn = (this.turn ?? 0) + 1;
      const { axes } = this.state;
      const { marks, medians } = this.marks(rows);
      const said = (count, one) => `${globalThis.formatNumber(count, 0)} ${one}${count === 1 ? "" : "s"}`;
      if (!marks.length || marks.length > MOST) {
        this.words.textContent = marks.length
          ? `${said(marks.length, "mark")} are too many to draw: narrow the filters.` : "No row has both figures.";
        this.chart.replaceChildren();
        return;
      }
      this.words.textContent = medians
        ? `${said(marks.length, "median")} of ${said(rows.length, "row")} with the same place and colour`
        : `${said(marks.length, "row")} of ${said(rows.length, "row")} that are shown`;
      const spec = this.spec(axes, marks);
      const { config, locale } = explorer.look();
      const result = await globalThis.vegaEmbed(this.chart, spec, {
        mode: "vega-lite", renderer: "svg", actions: false, ast: true, defaultStyle: false,
        config, formatLocale: locale, tooltip: { disableDefaultStyle: true, offsetX: 14, offsetY: 14 },
      });
      if (turn !== this.turn) { result.view.finalize(); return; }
      this.view?.finalize();
      this.view = result.view;
      this.place.dataset.drawn = String(turn);
    }

    spec(axes, marks) {
      const [x, y, colour] = ["x", "y", "colour"].map((axis) => (axes[axis] ? this.table.column(axes[axis]) : null));
      const names = [...new Set(marks.map((mark) => mark.c))];
      if (colour?.numeric) names.sort((a, b) => Number(a.replaceAll(",", "")) - Number(b.replaceAll(",", "")));
      const told = new Set(marks.map((mark) => JSON.stringify([mark.x, mark.c])));
      const lines = x.numeric && !x.metric && told.size === marks.length && told.size > names.length;
      const ranged = (axis, column) => (column.numeric
        ? { field: axis, type: "quantitative", title: column.label, scale: axes[`log${axis}`] === "yes" ? { type: "log" } : { zero: axis === "y" } }
        : { field: axis, type: "nominal", title: column.label, sort: null, axis: { labelLimit: 220 } });
      const own = colour?.name === "isa" && new Set(names.map((name) => this.table.colours[name])).size === names.length;
      const range = names.map((name, place) => (own ? `var(${this.table.colours[name]})` : SERIES[place % SERIES.length]));
      const legend = names.length > MOST_COLOURS ? { values: names.slice(0, MOST_COLOURS) } : {};
      const encoding = {
        x: ranged("x", x),
        y: ranged("y", y),
        tooltip: [
          { field: "x", type: x.numeric ? "quantitative" : "nominal", title: x.label },
          { field: "y", type: "quantitative", title: y.label },
          ...(colour ? [{ field: "c", type: "nominal", title: colour.label }] : []),
        ],
      };
      if (colour) {
        const look = { title: colour.label, orient: "bottom", columns: 3, labelLimit: 260, ...legend };
        encoding.color = { field: "c", type: "nominal", scale: { domain: names, range }, legend: look };
        encoding.shape = { field: "c", type: "nominal", scale: { domain: names, range: names.map((_, place) => SHAPES[place % SHAPES.length]) }, legend: look };
      }
      const point = { mark: { type: "point", filled: true, size: 42, opacity: 0.85, ...(colour ? {} : { color: SERIES[1] }) }, encoding };
      const line = { mark: { type: "line", strokeWidth: 1.2, opacity: 0.6, ...(colour ? {} : { color: SERIES[1] }) }, encoding: { ...encoding, tooltip: undefined, shape: undefined } };
      return {
        width: "container",
        height: 320,
        autosize: { type: "fit-x", contains: "padding" },
        description: `${y.label} by ${x.label}${colour ? `, coloured by ${colour.label}` : ""}: ${marks.length} marks`,
        data: { name: "rows", values: marks },
        layer: lines ? [line, point] : [point],
      };
    }
  }

  /// Colours and number format of all figures.
  explorer.look = () => {
    explorer.looked ??= JSON.parse(document.getElementById("figure-data").textContent);
    const { config, locale } = explorer.looked;
    return { config, locale };
  };
  explorer.Plot = Plot;
})();
