// The rows by column: texts as codes of a list of words, figures as doubles with NaN for what was not measured.
(() => {
  "use strict";

  function codes(found, count) {
    const size = (found.words ?? found.numbers ?? []).length;
    const Kind = size < 256 ? Uint8Array : size < 65536 ? Uint16Array : Uint32Array;
    if (found.index) return Kind.from(found.index);
    const made = new Kind(count);
    // Every row has a word of its own.
    if (!found.runs) return made.map((_, row) => row);
    let at = 0;
    for (let place = 0; place < found.runs.length; place += 2) {
      made.fill(found.runs[place], at, at += found.runs[place + 1]);
    }
    return made;
  }

  function figures(found, count, of) {
    const made = new Float64Array(count);
    if ("same" in found) return made.fill(found.same ?? NaN);
    if (found.each) {
      for (let row = 0; row < count; row += 1) made[row] = found.each[row] ?? NaN;
      return made;
    }
    const chosen = codes(found, count);
    if (found.over) {
      const over = of(found.over), under = of(found.under);
      for (let row = 0; row < count; row += 1) made[row] = chosen[row] ? over[row] / under[row] : NaN;
      return made;
    }
    const numbers = Float64Array.from(found.numbers, (number) => number ?? NaN);
    for (let row = 0; row < count; row += 1) made[row] = numbers[chosen[row]];
    return made;
  }

  class Column {
    constructor(given, count, of) {
      Object.assign(this, given);
      this.count = count;
      this.numeric = given.decimals !== null;
      if (this.numeric) {
        this.numbers = figures(given.values, count, of);
      } else {
        this.words = given.values.words;
        this.codes = codes(given.values, count);
      }
      delete this.values;
    }

    /// `null` if it was not measured.
    raw(row) {
      if (!this.numeric) return this.words[this.codes[row]];
      const number = this.numbers[row];
      return Number.isNaN(number) ? null : number;
    }

    text(row) {
      return this.shown(this.raw(row));
    }

    shown(value) {
      if (value === null) return "";
      return this.numeric ? globalThis.formatNumber(value, this.decimals) : String(value);
    }

    /// Its different values, in the order that people expect, and for each row the number of its value there.
    distinct() {
      if (!this.known) {
        if (this.numeric) {
          const values = [...new Set(this.numbers)].sort((a, b) => (Number.isNaN(a) ? 1 : Number.isNaN(b) ? -1 : a - b));
          const place = new Map(values.map((value, index) => [value, index]));
          const found = new Uint32Array(this.count);
          for (let row = 0; row < this.count; row += 1) found[row] = place.get(this.numbers[row]);
          this.known = { values: values.map((value) => (Number.isNaN(value) ? null : value)), codes: found };
        } else {
          this.known = { values: this.words, codes: this.codes };
        }
      }
      return this.known;
    }

    /// For each row a number by which rows are sorted; `Infinity` for what was not measured.
    keys() {
      if (this.numeric) return this.numbers.map((number) => (Number.isNaN(number) ? Infinity : number));
      const sorted = this.words.map((word, code) => [word, code]).filter(([word]) => word !== null)
        .sort(([a], [b]) => (a < b ? -1 : 1));
      const rank = new Float64Array(this.words.length).fill(Infinity);
      sorted.forEach(([, code], place) => { rank[code] = place; });
      return Float64Array.from(this.codes, (code) => rank[code]);
    }

    /// Lower-case words, for the search.
    searched() {
      this.lower ??= this.words.map((word) => (word ?? "").toLowerCase());
      return this.lower;
    }
  }

  class Table {
    constructor(given) {
      this.count = given.count;
      this.colours = given.colours;
      this.columns = [];
      this.named = new Map();
      for (const each of given.columns) {
        const column = new Column(each, given.count, (name) => this.named.get(name).numbers);
        this.columns.push(column);
        this.named.set(each.name, column);
      }
      // A study may ask first for what is no column, such as processor time.
      const asked = this.columns.find((column) => column.name === given.metric);
      this.metric = (asked ?? this.columns.find((column) => column.metric)).name;
    }

    column(name) {
      return this.named.get(name);
    }
  }

  /// What the page holds deflated: read when it is first asked for.
  async function unpacked(text) {
    if (!globalThis.DecompressionStream) throw new Error("this browser cannot inflate what the page holds");
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  globalThis.explorer = { Table, codes, figures, unpacked };
})();
