// Draws the figures with Vega-Lite. Colours are CSS variables, so theme and paper need no redrawing.
(() => {
  "use strict";
  const { config, locale, fields, figures } = JSON.parse(document.getElementById("figure-data").textContent);
  const number = globalThis.formatNumber;

  const unpack = (datum) => Object.fromEntries(fields.map((name, place) => [name, datum[place]]));

  const cell = (row, tag, text, name) => {
    const made = row.appendChild(document.createElement(tag));
    made.textContent = text;
    if (name) made.className = name;
    if (tag === "th") made.scope = row.parentNode.tagName === "THEAD" ? "col" : "row";
  };

  function table(body, head, heads, data, decimals) {
    const shown = data.filter((datum) => datum.value !== null && datum.key);
    const keys = [...new Set(shown.map((datum) => datum.key))];
    const lines = new Map();
    for (const datum of shown) {
      const id = JSON.stringify([datum.implementation, datum.isa]);
      if (!lines.has(id)) lines.set(id, { datum, values: new Map() });
      lines.get(id).values.set(datum.key, datum.value);
    }
    head.replaceChildren();
    body.replaceChildren();
    const header = head.insertRow();
    for (const label of heads) cell(header, "th", label);
    for (const key of keys) cell(header, "th", key, "num");
    for (const { datum, values } of lines.values()) {
      const row = body.insertRow();
      cell(row, "th", datum.implementation, "impl");
      cell(row, "td", datum.isa, "isa");
      for (const key of keys) cell(row, "td", values.has(key) ? number(values.get(key), decimals) : "\u2013", "num");
    }
  }

  function remarks(element, variant) {
    const list = element.querySelector(".remarks ol");
    if (!list) return;
    list.replaceChildren(...(variant ? variant.remarks : []).map((text) => {
      const item = document.createElement("li");
      item.textContent = text;
      return item;
    }));
  }

  // Of the mark's series: all others fade while one is lit.
  const named = (figure, label) => figure.legend.find((entry) => entry.label === label).shown;

  const LIT = { condition: { test: "!lit.length || indexof(lit, datum.series) >= 0", value: 1 }, value: 0.12 };

  // A layer's axis as the reader wants it.
  function rescaled(channel, figure, state) {
    if (!channel || !channel.scale || !channel.scale.domainMin) return channel;
    const title = state.compared ? `${channel.title}, relative to ${named(figure, state.compared)}` : channel.title;
    const scale = { ...channel.scale, type: figure.scales.length ? state.scale : channel.scale.type };
    const axis = figure.scales.length && !channel.axis.values ? { ...channel.axis, values: { expr: "ticks" } } : channel.axis;
    return { ...channel, title: state.ofBytes && state.ofBytes !== figure.of_bytes ? `${title}, ${state.ofBytes}` : title, scale, axis };
  }

  const ofNotes = (layer) => (layer.transform ?? []).some((step) => step.filter === "datum.note");

  // Small charts side by side say once, above them, what they show.
  const bare = (channel, figure) => (figure.panels.length > 3 ? { ...channel, title: null } : channel);

  function chosen(spec, figure, state, noted) {
    const encoded = (encoding) => (encoding && state.changed ? {
      ...encoding,
      ...(encoding.x ? { x: rescaled(encoding.x, figure, state) } : {}),
      ...(encoding.y ? { y: bare(rescaled(encoding.y, figure, state), figure) } : {}),
    } : encoding);
    const lights = (layer) => (figure.legend.length && layer.mark.type !== "text" && !(layer.encoding || {}).opacity
      ? { ...layer, encoding: { ...encoded(layer.encoding), opacity: LIT } }
      : { ...layer, encoding: encoded(layer.encoding) });
    const layers = spec.layer.filter((layer) => noted || !ofNotes(layer));
    return { ...spec, encoding: encoded(spec.encoding), layer: layers.map(lights) };
  }

  async function draw(figure, element, variant, state) {
    const { data, params } = globalThis.shownFigure(figure, variant, state, variant.data.map(unpack));
    const series = (datum) => (figure.series === "line"
      ? [datum.implementation, datum.isa].filter(Boolean).join(", ") : datum[figure.series]);
    const charts = [...element.querySelectorAll(".chart")];
    const axis = figure.panels[0].encoding.y.title;
    if (figure.panels.length > 3) {
      const against = state.compared ? `, relative to ${named(figure, state.compared)}` : "";
      element.querySelector(".words").textContent = `${variant.words}; ${axis}${against}`;
    }
    await Promise.all(charts.map(async (place, index) => {
      const rows = data.filter((datum) => datum.panel === index).map((datum) => ({ ...datum, series: series(datum) }));
      const empty = !rows.some((datum) => datum.value !== null);
      place.closest(".panel").hidden = empty;
      if (place.view) place.view.finalize();
      if (empty) return;
      // A layer without data has no extent, of which Vega warns.
      const noted = rows.some((datum) => datum.note);
      // What is written beside the outermost mark is wider than the air that a narrow chart leaves it.
      const longest = Math.max(...rows.map((datum) => (datum.note ?? "").length));
      const beside = place.clientWidth < 480 ? 7 * longest - 35 : 0;
      const spec = {
        ...chosen(figure.panels[index], figure, state, noted),
        width: "container",
        autosize: { type: "fit-x", contains: "padding" },
        padding: { left: 5, top: 5, right: Math.max(figure.step ? 22 : 5, beside), bottom: 5 },
        description: figure.title + ", " + figure.panel_titles[index] + ": " + variant.words,
        data: { name: "rows", values: rows },
        params: [...params, ...(params.some(({ name }) => name === "ticks") ? [] : [{ name: "ticks", value: [] }]), { name: "lit", value: [] }],
      };
      if (figure.step) spec.height = figure.step * new Set(rows.map((datum) => datum.row)).size;
      const result = await vegaEmbed(place, spec, {
        mode: "vega-lite", renderer: "svg", actions: false, ast: true, defaultStyle: false,
        config, formatLocale: locale, tooltip: { disableDefaultStyle: true, offsetX: 14, offsetY: 14 },
      });
      place.view = result.view;
    }));
    element.dataset.drawn = "true";
    return data;
  }

  function choice(bar, label, options, start, act) {
    const select = document.createElement("select");
    for (const [value, text] of options) select.add(new Option(text, value, value === start, value === start));
    select.addEventListener("change", () => act(select.value));
    const box = bar.appendChild(document.createElement("label"));
    box.append(label + " ", select);
  }

  // Each entry hides its series, and lights it while pointed at.
  function legend(figure, element, state, redraw) {
    const entries = [...element.querySelectorAll(".legend button")];
    const light = (values) => {
      for (const { view } of element.querySelectorAll(".chart")) if (view) view.signal("lit", values).runAsync();
    };
    entries.forEach((button, place) => {
      const { values } = figure.legend[place];
      button.addEventListener("click", () => {
        const on = button.getAttribute("aria-pressed") === "true";
        button.setAttribute("aria-pressed", String(!on));
        for (const value of values) if (on) state.hidden.add(value); else state.hidden.delete(value);
        redraw();
      });
      for (const event of ["pointerenter", "focus"]) button.addEventListener(event, () => light(values));
      for (const event of ["pointerleave", "blur"]) button.addEventListener(event, () => light([]));
    });
  }

  // Figures near the reader are drawn first, the others one by one while nothing else is to be done, so that paper has
  // them all. What is yet to be drawn keeps its place.
  const waiting = new Map();
  const begin = (element) => {
    const start = waiting.get(element);
    waiting.delete(element);
    near.unobserve(element);
    return start ? start() : null;
  };
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) begin(target);
  }, { rootMargin: "50%" });
  const idle = globalThis.requestIdleCallback ?? ((act) => setTimeout(act, 50));
  const rest = async () => {
    const [next] = waiting.keys();
    if (!next) return;
    await begin(next);
    idle(rest);
  };
  addEventListener("beforeprint", () => { for (const element of [...waiting.keys()]) begin(element); });

  function later(element, height, start) {
    const charts = [...element.querySelectorAll(".chart")];
    for (const chart of charts) chart.style.minHeight = `${height}px`;
    waiting.set(element, async () => {
      await start();
      for (const chart of charts) chart.style.minHeight = "";
    });
    near.observe(element);
  }

  for (const figure of figures) {
    const element = document.getElementById(figure.id);
    const selects = [...element.querySelectorAll("select")];
    const bar = element.querySelector(".choices");
    const state = {
      hidden: new Set(), scale: figure.compared ? "linear" : figure.scales[0], compared: figure.compared, ofBytes: "",
      changed: Boolean(figure.compared),
    };
    const [chart] = figure.panels;
    figure.height = chart.height;
    figure.dots = figure.step > 0 && figure.scales.length > 0;
    const update = async () => {
      const key = selects.map((select) => select.value).join(",");
      const variant = figure.variants[key];
      element.querySelector(".words").textContent = variant ? variant.words : "Nothing was measured for this choice.";
      element.querySelector(".panels").hidden = !variant;
      remarks(element, variant);
      if (!variant) return;
      const data = await draw(figure, element, variant, state);
      const box = element.querySelector("details table");
      table(box.tBodies[0], box.tHead, figure.heads, data, state.compared ? 4 : figure.decimals);
    };
    const redraw = () => { state.changed = true; return update(); };
    for (const select of selects) select.addEventListener("change", update);
    if (figure.relative.length > 1) {
      choice(bar, "Compared with", [["", "nothing"], ...figure.relative.map((label) => [label, named(figure, label)])], state.compared,
        (value) => { state.compared = value; redraw(); });
    }
    if (figure.scales.length > 1) {
      choice(bar, "Scale", figure.scales.map((scale) => [scale, scale]), state.scale, (value) => { state.scale = value; redraw(); });
    }
    if (figure.of_bytes) {
      const other = figure.of_bytes === "total" ? "per byte" : "total";
      choice(bar, "Figures", [[figure.of_bytes, figure.of_bytes], [other, other]], figure.of_bytes,
        (value) => { state.ofBytes = value; redraw(); });
    }
    legend(figure, element, state, redraw);
    later(element, figure.height ?? 0, () => draw(figure, element, figure.variants[figure.start], state));
  }
  // After the first frame, and after what is near.
  requestAnimationFrame(() => idle(rest));
})();
