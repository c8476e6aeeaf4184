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

  async function draw(figure, element, variant) {
    const data = variant.data.map(unpack);
    const charts = [...element.querySelectorAll(".chart")];
    await Promise.all(charts.map(async (place, index) => {
      const rows = data.filter((datum) => datum.panel === index);
      place.closest(".panel").hidden = !rows.some((datum) => datum.value !== null);
      if (place.view) place.view.finalize();
      const spec = {
        ...figure.panels[index],
        width: "container",
        autosize: { type: "fit-x", contains: "padding" },
        // The number at the end of the longest bar is wider than the air that a narrow chart leaves it.
        padding: figure.step ? { left: 5, top: 5, right: 22, bottom: 5 } : 5,
        description: figure.title + ", " + figure.panel_titles[index] + ": " + variant.words,
        data: { name: "rows", values: rows },
        params: variant.params,
      };
      if (figure.step) spec.height = figure.step * new Set(rows.map((datum) => datum.row)).size;
      const result = await vegaEmbed(place, spec, {
        mode: "vega-lite", renderer: "svg", actions: false, ast: true, defaultStyle: false,
        config, formatLocale: locale, tooltip: { disableDefaultStyle: true, offsetX: 14, offsetY: 14 },
      });
      place.view = result.view;
    }));
    element.dataset.drawn = "true";
  }

  for (const figure of figures) {
    const element = document.getElementById(figure.id);
    const selects = [...element.querySelectorAll("select")];
    const update = async () => {
      const key = selects.map((select) => select.value).join(",");
      const variant = figure.variants[key];
      element.querySelector(".words").textContent = variant ? variant.words : "Nothing was measured for this choice.";
      element.querySelector(".panels").hidden = !variant;
      remarks(element, variant);
      if (!variant) return;
      await draw(figure, element, variant);
      const box = element.querySelector("details table");
      table(box.tBodies[0], box.tHead, figure.heads, variant.data.map(unpack), figure.decimals);
    };
    for (const select of selects) select.addEventListener("change", update);
    draw(figure, element, figure.variants[figure.start]);
  }
})();
