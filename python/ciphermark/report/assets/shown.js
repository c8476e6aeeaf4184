// What a figure shows of its data: without what the legend hides, compared with a baseline, per byte or in total.
globalThis.shownFigure = (() => {
  "use strict";
  const NAME_HEIGHT = 13;

  const seriesOf = (figure, datum) => (figure.series === "line"
    ? [datum.implementation, datum.isa].filter(Boolean).join(", ")
    : datum[figure.series]);

  const scaled = (datum, by) => ({
    ...datum,
    value: datum.value === null ? null : datum.value * by,
    low: datum.low === null ? null : datum.low * by,
    high: datum.high === null ? null : datum.high * by,
  });

  // By the bytes of the message: `row` is its size.
  function perByte(figure, state, data) {
    if (!state.ofBytes || state.ofBytes === figure.of_bytes) return data;
    return data.map((datum) => scaled(datum, figure.of_bytes === "total" ? 1 / datum.row : datum.row));
  }

  function compared(figure, state, data) {
    const key = figure.legend.find((entry) => entry.label === state.compared);
    if (!key) return data;
    const place = (datum) => JSON.stringify(figure.series === "line"
      ? [datum.panel, datum.row, datum.mark] : [datum.panel, datum.implementation, figure.step ? 0 : datum.row]);
    const bases = new Map();
    for (const datum of data) {
      if (datum.value && key.values.includes(seriesOf(figure, datum))) bases.set(place(datum), datum.value);
    }
    return data.filter((datum) => bases.has(place(datum)))
      .map((datum) => scaled(datum, 1 / bases.get(place(datum))));
  }

  function bounds(figure, state, data) {
    const values = data.flatMap((datum) => [datum.value, datum.low, datum.high]).filter((value) => value > 0);
    if (values.length === 0) return [1, 10];
    const [low, high] = [Math.min(...values), Math.max(...values)];
    if (figure.step) return state.scale === "log" ? [low / 1.3, high * 1.8] : [0, high * 1.35];
    if (state.compared) {
      const air = Math.max((high - low) * 0.12, 0.02);
      return state.scale === "log" ? [low / 1.1, high * 1.1] : [Math.max(0, low - air), high + air];
    }
    return state.scale === "log" ? [low / 1.3, high * 1.3] : [0, high * 1.05];
  }

  function ticks(scale, low, high) {
    if (scale !== "log") {
      const unit = 10 ** Math.floor(Math.log10((high - low) / 4));
      const step = [1, 2, 2.5, 5, 10].find((each) => (high - low) / (each * unit) <= 5) * unit;
      const found = [];
      for (let tick = Math.ceil(low / step - 1e-9); tick * step <= high; tick += 1) found.push(tick * step);
      return found;
    }
    const decades = [];
    for (let n = Math.floor(Math.log10(low)); n <= Math.ceil(Math.log10(high)); n += 1) decades.push(n);
    const steps = decades.length <= 4 ? [1, 2, 5] : [1];
    return decades.flatMap((n) => steps.map((each) => (n >= 0 ? each * 10 ** n : each / 10 ** -n)))
      .filter((tick) => tick >= low && tick <= high);
  }

  // Names of lines, moved until none covers another: as Python does for the view that the page opens with.
  function apart(data, scale, [low, high], height) {
    const at = (value) => height * (1 - (scale === "log"
      ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low)));
    const panels = new Map();
    for (const datum of data.filter((each) => each.note && each.value)) {
      panels.set(datum.panel, [...(panels.get(datum.panel) ?? []), datum]);
    }
    for (const named of panels.values()) {
      named.sort((a, b) => b.value - a.value);
      const places = [];
      for (const datum of named) {
        places.push(Math.max(at(datum.value), places.length ? places[places.length - 1] + NAME_HEIGHT : -Infinity));
      }
      let lowest = height - NAME_HEIGHT / 2;
      for (let n = places.length - 1; n >= 0 && places[n] > lowest; n -= 1) {
        places[n] = lowest;
        lowest -= NAME_HEIGHT;
      }
      named.forEach((datum, n) => { datum.shift = places[n] - at(datum.value); });
    }
  }

  // What stands at the greatest mark of a row: what the row ranges over.
  function ranges(figure, state, data) {
    const rows = new Map();
    for (const datum of data.filter((each) => each.value !== null)) {
      const place = JSON.stringify([datum.panel, datum.implementation]);
      rows.set(place, [...(rows.get(place) ?? []), datum]);
    }
    const decimals = state.compared ? 3 : figure.decimals;
    for (const dots of rows.values()) {
      const flagged = dots.some((datum) => datum.note.includes("\u2020")) ? "\u2009\u2020" : "";
      for (const datum of dots) datum.note = "";
      const values = dots.map((datum) => datum.value);
      const ends = new Set([Math.min(...values), Math.max(...values)].map((end) => globalThis.formatNumber(end, decimals)));
      dots.find((datum) => datum.value === Math.max(...values)).note = [...ends].join(" \u2013 ") + flagged;
    }
  }

  return (figure, variant, state, data) => {
    const untouched = !state.changed;
    if (untouched) return { data, params: variant.params };
    const kept = data.filter((datum) => !state.hidden.has(seriesOf(figure, datum)) || datum.value === null);
    const found = compared(figure, state, perByte(figure, state, kept)).map((datum) => ({ ...datum }));
    if (!figure.scales.length) return { data: found, params: variant.params };
    const [low, high] = bounds(figure, state, found);
    if (figure.dots) ranges(figure, state, found);
    else if (!figure.step) apart(found, state.scale, [low, high], figure.height);
    const params = { low, high, ticks: ticks(state.scale, low, high) };
    return { data: found, params: Object.entries(params).map(([name, value]) => ({ name, value })) };
  };
})();
