// The table that is shown, as text for a spreadsheet, a page or a paper.
(() => {
  "use strict";
  const { explorer } = globalThis;

  const asCsv = (value) => {
    const text = value === null ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };

  const csv = (heads, lines) => [heads.map(({ name }) => name), ...lines].map((line) => line.map(asCsv).join(",") + "\n").join("");

  // Anything that Markdown or HTML would read as more than text.
  const asMarkdown = (text) => text.replace(/[\\`*_{}[\]<>|~&]/g, "\\$&").replace(/\s+/g, " ");

  function markdown(heads, lines) {
    const row = (cells) => `| ${cells.join(" | ")} |\n`;
    return row(heads.map(({ label }) => asMarkdown(label)))
      + row(heads.map(({ numeric }) => (numeric ? "---:" : ":---")))
      + lines.map((line) => row(line.map(asMarkdown))).join("");
  }

  const LATEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\u2212": "$-$", "\u2013": "--", "\u202f": "\\,", "\u00a0": "~" };
  const asLatex = (text) => text.replace(/\s+/g, (space) => (/[\u00a0\u202f]/.test(space) ? space : " "))
    .replace(/[\\~^&%$#_{}\u2212\u2013\u202f\u00a0]/g, (sign) => LATEX[sign] ?? `\\${sign}`);

  function latex(heads, lines) {
    const row = (cells) => `${cells.join(" & ")} \\\\\n`;
    return `% needs \\usepackage{booktabs}\n\\begin{tabular}{@{}${heads.map(({ numeric }) => (numeric ? "r" : "l")).join("")}@{}}\n\\toprule\n`
      + row(heads.map(({ label }) => asLatex(label))) + "\\midrule\n"
      + lines.map((line) => row(line.map(asLatex))).join("") + "\\bottomrule\n\\end{tabular}\n";
  }

  /// CSV has the figures as they were measured, under the names of columns; the others print what the page shows.
  function text(kind, grid) {
    const { state, table } = grid;
    const exact = kind === "csv";
    let heads, lines;
    if (grid.groups) {
      const groups = state.groups.map((name) => table.column(name));
      const metric = table.column(state.shown);
      heads = [
        ...groups, { name: "rows", label: "Rows", numeric: true },
        ...["least", "median", "greatest"].map((which) => ({ name: `${metric.name}_${which}`, label: `${metric.label}, ${which}`, numeric: true })),
      ];
      lines = grid.groups.map((group) => (exact
        ? [...group.values, group.count, group.least, group.median, group.most]
        : grid.cellsOf(group)));
    } else {
      heads = exact && state.all ? table.columns : grid.columns;
      lines = Array.from(grid.rows, (row) => heads.map((column) => (exact ? column.raw(row) : column.text(row))));
    }
    return { csv, markdown, latex }[kind](heads, lines);
  }

  /// Into the clipboard; where a browser does not let a page do that, into a field to copy from.
  async function copy(content, field) {
    try {
      await navigator.clipboard.writeText(content);
      field.hidden = true;
      return true;
    } catch {
      field.hidden = false;
      field.value = content;
      field.focus();
      field.select();
      return false;
    }
  }

  Object.assign(explorer, { exported: text, copy });
})();
