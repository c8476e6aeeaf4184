// Numbers as the rest of the page prints them: commas in thousands, a true minus.
globalThis.formatNumber = (value, decimals) => {
  const [whole, rest] = Math.abs(value).toFixed(decimals).split(".");
  return (value < 0 ? "\u2212" : "") + whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest ? "." + rest : "");
};
