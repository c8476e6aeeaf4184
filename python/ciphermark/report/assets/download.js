// Every figure as a file: its charts as they are seen, its data as they are listed.
(() => {
  "use strict";
  const SCALE = 2;

  function save(name, type, content) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // The charts side by side or below each other, as they stand; colours written out.
  function drawing(figure) {
    const charts = [...figure.querySelectorAll(".chart svg, .static svg")].filter((svg) => svg.getClientRects().length);
    const boxes = charts.map((svg) => svg.getBoundingClientRect());
    const [left, top] = [Math.min(...boxes.map((box) => box.left)), Math.min(...boxes.map((box) => box.top))];
    const width = Math.ceil(Math.max(...boxes.map((box) => box.right)) - left);
    const height = Math.ceil(Math.max(...boxes.map((box) => box.bottom)) - top);
    const style = getComputedStyle(document.documentElement);
    const parts = charts.map((svg, n) => {
      const copy = svg.cloneNode(true);
      copy.setAttribute("x", boxes[n].left - left);
      copy.setAttribute("y", boxes[n].top - top);
      copy.setAttribute("width", boxes[n].width);
      copy.setAttribute("height", boxes[n].height);
      copy.removeAttribute("style");
      return new XMLSerializer().serializeToString(copy);
    });
    const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`
      + `<rect width="100%" height="100%" fill="${style.getPropertyValue("--paper")}"/>${parts.join("")}</svg>`;
    return { width, height, text: text.replace(/var\((--[\w-]+)\)/g, (_, name) => style.getPropertyValue(name).trim()) };
  }

  async function picture(figure) {
    const { width, height, text } = drawing(figure);
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: width * SCALE, height: height * SCALE });
    const context = canvas.getContext("2d");
    context.scale(SCALE, SCALE);
    context.drawImage(image, 0, 0);
    return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
  }

  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

  // Numbers without the commas that people read them with.
  const plain = (text) => (/^[\u2212\d][\d,.]*$/.test(text) ? text.replaceAll(",", "").replace("\u2212", "-") : text);

  const table = (figure) => [...figure.querySelectorAll("details table tr")]
    .map((row) => [...row.cells].map((cell) => quoted(plain(cell.textContent.trim()))).join(",")).join("\r\n") + "\r\n";

  for (const figure of document.querySelectorAll("figure")) {
    const bar = figure.querySelector(".downloads");
    if (!bar) continue;
    const kinds = {
      SVG: () => save(`${figure.id}.svg`, "image/svg+xml", drawing(figure).text),
      PNG: async () => save(`${figure.id}.png`, "image/png", await picture(figure)),
      CSV: () => save(`${figure.id}.csv`, "text/csv", table(figure)),
    };
    for (const [kind, act] of Object.entries(kinds)) {
      const button = bar.appendChild(document.createElement("button"));
      button.type = "button";
      button.textContent = kind;
      button.setAttribute("aria-label", `Download ${figure.id.replace("-", " ")} as ${kind}`);
      button.addEventListener("click", act);
    }
    bar.hidden = false;
  }
})();
