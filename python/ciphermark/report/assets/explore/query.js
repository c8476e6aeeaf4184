// Which rows a state means, in which order, and groups of them. No part of the page is touched here.
(() => {
  "use strict";
  const { explorer } = globalThis;

  class Query {
    constructor(table) {
      this.table = table;
      this.sorted = { name: null, descending: false, rows: null };
    }

    /// Rows that have all that is asked for, in order.
    rows(state) {
      const { count } = this.table;
      const keep = new Uint8Array(count).fill(1);
      for (const [name, wanted] of state.values) this.having(keep, name, wanted);
      for (const [name, bounds] of state.ranges) this.within(keep, name, bounds);
      for (const term of state.search.toLowerCase().split(/\s+/).filter(Boolean)) this.saying(keep, term);
      const order = this.order(state.sort);
      const found = new Uint32Array(count);
      let length = 0;
      for (let place = 0; place < count; place += 1) {
        const row = order === null ? place : order[place];
        if (keep[row]) found[length++] = row;
      }
      return found.subarray(0, length);
    }

    having(keep, name, wanted) {
      const { values, codes } = this.table.column(name).distinct();
      const accepted = Uint8Array.from(values, (value) => (wanted.has(value) ? 1 : 0));
      for (let row = 0; row < keep.length; row += 1) keep[row] &= accepted[codes[row]];
    }

    within(keep, name, { least, most }) {
      const { numbers } = this.table.column(name);
      // What was not measured is NaN, which is neither at least nor at most anything.
      for (let row = 0; row < keep.length; row += 1) keep[row] &= numbers[row] >= least && numbers[row] <= most ? 1 : 0;
    }

    saying(keep, term) {
      const said = new Uint8Array(keep.length);
      for (const column of this.table.columns) {
        if (column.numeric) continue;
        const found = Uint8Array.from(column.searched(), (word) => (word.includes(term) ? 1 : 0));
        if (!found.includes(1)) continue;
        const { codes } = column;
        for (let row = 0; row < said.length; row += 1) said[row] |= found[codes[row]];
      }
      for (let row = 0; row < keep.length; row += 1) keep[row] &= said[row];
    }

    /// All rows, sorted; kept until another order is asked for, so that filtering never sorts.
    order(sort) {
      if (sort === null) return null;
      const { name, descending } = sort;
      if (this.sorted.name !== name || this.sorted.descending !== descending) {
        const keys = this.table.column(name).keys();
        const rows = Uint32Array.from(keys, (_, row) => row);
        const sign = descending ? -1 : 1;
        rows.sort((a, b) => {
          const x = keys[a], y = keys[b];
          if (x === y) return a - b;
          if (x === Infinity) return 1;
          if (y === Infinity) return -1;
          return sign * (x - y);
        });
        this.sorted = { name, descending, rows };
      }
      return this.sorted.rows;
    }

    /// Groups of rows by several columns, in order of appearance: their values, how many rows, and of the metric the
    /// least, the median and the greatest.
    groups(rows, names, metric) {
      const columns = names.map((name) => this.table.column(name));
      const coded = columns.map((column) => column.distinct());
      const { numbers } = this.table.column(metric);
      const found = new Map();
      for (const row of rows) {
        let key = 0;
        for (const { values, codes } of coded) key = key * values.length + codes[row];
        let group = found.get(key);
        if (group === undefined) found.set(key, group = { first: row, count: 0, measured: [] });
        group.count += 1;
        if (!Number.isNaN(numbers[row])) group.measured.push(numbers[row]);
      }
      return [...found.values()].map(({ first, count, measured }) => {
        measured.sort((a, b) => a - b);
        return {
          values: columns.map((column) => column.raw(first)),
          count,
          least: measured[0] ?? null,
          median: explorer.median(measured),
          most: measured.at(-1) ?? null,
        };
      });
    }
  }

  /// Of ascending numbers.
  explorer.median = (sorted) => {
    if (!sorted.length) return null;
    const middle = sorted.length >> 1;
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  };
  explorer.Query = Query;
})();
