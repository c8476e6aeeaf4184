// The code of a row's timed call with its counts, hot loop first, and its functions.
(() => {
  "use strict";
  const { explorer } = globalThis;
  const { make, scrolled } = explorer;
  const number = (value) => globalThis.formatNumber(value, 0);
  const share = (part, whole) => (whole ? `${globalThis.formatNumber(100 * part / whole, 1)}\u202f%` : "");

  class Listings {
    constructor(given, count) {
      this.each = given.each;
      this.packed = given.packed;
      this.texts = given.texts;
      this.of = explorer.figures(given.of, count);
      this.read = new Map();
    }

    /// The listing that a row shares, or `null`.
    async find(row) {
      const at = this.of[row];
      if (Number.isNaN(at)) return null;
      const part = Math.floor(at / this.each);
      if (!this.read.has(part)) this.read.set(part, this.whole(part));
      return (await this.read.get(part))[at % this.each];
    }

    /// All listings of a part, with addresses and texts as they are.
    async whole(part) {
      this.words ??= explorer.unpacked(this.texts);
      const words = await this.words;
      return (await explorer.unpacked(this.packed[part])).map((found) => {
        let address = 0;
        const addresses = found.addresses.map((step) => (address += step));
        return { ...found, addresses, texts: found.texts.map((place) => words[place]) };
      });
    }
  }

  function functions(parent, label, { functions: found }) {
    const timed = found.some((each) => each.cycles !== null);
    const [instructions, cycles] = ["instructions", "cycles"].map((what) => found.reduce((sum, each) => sum + (each[what] ?? 0), 0));
    const heads = [["Function"], ["Instructions", "num"], ...(timed ? [["Cycles", "num"]] : []), ["Share", "num"]];
    const { body } = scrolled(parent, label, heads);
    for (const each of found) {
      const line = make(body, "tr");
      make(line, "th", each.name, "mono").scope = "row";
      make(line, "td", number(each.instructions), "num");
      if (timed) make(line, "td", number(each.cycles), "num");
      make(line, "td", timed ? share(each.cycles, cycles) : share(each.instructions, instructions), "num");
    }
  }

  function code(parent, label, found, first, last) {
    const heads = [["Executions", "num"], ...(found.cycles ? [["Cycles", "num"]] : []), ["Address"], ["Instruction"],
      ...(found.waits ? [["Waits for"]] : []), ...(found.sources ? [["Source"]] : [])];
    const { body, table } = scrolled(parent, label, heads, true);
    table.className = "code";
    let inside = null;
    for (let at = first; at <= last; at += 1) {
      if (found.inside[at] !== inside) {
        inside = found.inside[at];
        const head = make(make(body, "tr"), "th", found.functions[inside].name, "mono");
        head.colSpan = heads.length;
        head.scope = "rowgroup";
      }
      const line = make(body, "tr");
      make(line, "td", number(found.executions[at]), "num");
      if (found.cycles) make(line, "td", number(found.cycles[at]), "num");
      make(line, "td", found.addresses[at].toString(16), "mono");
      make(line, "td", found.texts[at], "mono");
      if (found.waits) make(line, "td", found.waits[at]);
      if (found.sources) make(line, "td", found.sources[at], "mono");
    }
  }

  /// All that is known of a row's code.
  function show(parent, table, row, found) {
    const title = explorer.title(table, row);
    if (found === null) {
      make(parent, "p", "This page does not hold the code of this row; ciphermark explain shows that of one call.", "note");
      return;
    }
    const shown = table.column("size").text(found.row), size = table.column("size").text(row);
    const state = table.column("state").text(found.row);
    const counted = `Counts are those of ${shown}\u202fbytes${state ? `, ${state}` : ""}${found.cycles ? "" : ", without a machine"}`;
    make(parent, "p", found.row === row ? `${counted}.` : `${counted}: the same code as this row's ${size}\u202fbytes.`, "note");
    functions(parent, `Functions of ${title}`, found);
    if (found.loop) {
      const { first, last, iterations } = found.loop;
      make(parent, "h5", `Hot loop in ${found.functions[found.inside[first]].name}: ${number(iterations)} iterations`);
      code(parent, `Hot loop of ${title}`, found, first, last);
    }
    const rest = make(parent, "details");
    const count = `${number(found.texts.length)} instruction${found.texts.length === 1 ? "" : "s"}`;
    make(rest, "summary", `The whole timed call, ${count}${found.omitted ? `; ${number(found.omitted)} that least was spent on are left out` : ""}`);
    rest.addEventListener("toggle", () => {
      if (!rest.querySelector("table")) code(rest, `Code of ${title}`, found, 0, found.texts.length - 1);
    });
    if (!found.loop) rest.open = true;
  }

  Object.assign(explorer, { Listings, showCode: show });
})();
