// The filters: a list of values to tick for each column that has few, two bounds for one of figures.
(() => {
  "use strict";
  const { explorer } = globalThis;
  const { make, button, select } = explorer;
  const USUAL = ["algorithm", "operation", "implementation", "isa", "compiler", "opt", "engine", "machine", "state", "vlen", "size", "verdict"];
  const FEW = 200;

  class Filters {
    constructor(place, state, changed) {
      this.place = place;
      this.state = state;
      this.changed = changed;
      this.table = state.table;
      this.made = new Map();
      this.search = document.getElementById("row-search");
      this.search.addEventListener("input", () => { state.search = this.search.value; changed(); });
      this.all = document.getElementById("show-all");
      this.all.addEventListener("change", () => { state.all = this.all.checked; changed(); });
      const varied = this.table.columns.filter((column) => this.offered(column));
      for (const name of USUAL) if (varied.includes(this.table.column(name))) this.add(name);
      const others = varied.filter((column) => !this.made.has(column.name));
      this.more = select(place, "more", "More", [["", "a filter\u2026"], ...others.map((each) => [each.name, each.label])], (name) => {
        this.more.value = "";
        if (name) this.add(name).querySelector("summary").focus();
      });
      this.more.id = "more-filters";
      this.more.closest("label").hidden = !others.length;
      this.reset = button(place, "Clear", () => {
        state.clear();
        this.follow();
        changed();
        this.search.focus();
      });
      this.reset.id = "clear-filters";
      this.follow();
    }

    offered(column) {
      if (column.numeric) return column.distinct().values.length > 1;
      return column.words.length > 1 && column.words.length <= FEW;
    }

    add(name) {
      const column = this.table.column(name);
      const box = document.createElement("details");
      box.className = "filter";
      box.dataset.column = name;
      this.place.insertBefore(box, this.more?.closest("label") ?? null);
      const said = make(box, "summary");
      const inside = make(box, "fieldset");
      make(inside, "legend", column.label, "visually-hidden");
      const { values } = column.distinct();
      const bounded = column.numeric && (column.metric || values.length > FEW);
      const made = { box, said, column, ...(bounded ? this.bounds(inside, column) : this.ticks(inside, column, values)) };
      this.made.set(name, made);
      this.more?.querySelector(`option[value="${CSS.escape(name)}"]`)?.remove();
      if (this.more) { this.follow(); box.open = true; }
      // Within the window, however far right its column is.
      const place = () => {
        if (!box.open) return;
        inside.style.left = "0";
        const beyond = inside.getBoundingClientRect().right + 8 - document.documentElement.clientWidth;
        if (beyond > 0) inside.style.left = `${-beyond}px`;
      };
      // One open list at a time, and Escape closes it.
      box.addEventListener("toggle", () => {
        if (box.open) for (const other of this.made.values()) if (other.box !== box) other.box.open = false;
        place();
      });
      addEventListener("resize", place);
      box.addEventListener("keydown", (event) => {
        if (event.key === "Escape" && box.open) { box.open = false; said.focus(); }
      });
      return box;
    }

    ticks(inside, column, values) {
      const { state } = this;
      const boxes = values.map((value) => {
        const label = make(inside, "label");
        const box = make(label, "input");
        box.type = "checkbox";
        label.append(` ${value === null ? "not measured" : column.shown(value)}`);
        box.addEventListener("change", () => {
          const wanted = new Set(values.filter((_, index) => boxes[index].checked));
          if (wanted.size) state.values.set(column.name, wanted);
          else state.values.delete(column.name);
          this.tell(column.name);
          this.changed();
        });
        return box;
      });
      return { boxes, values };
    }

    bounds(inside, column) {
      const { state } = this;
      const inputs = Object.fromEntries([["least", "at least"], ["most", "at most"]].map(([end, text]) => {
        const input = make(make(inside, "label", `${text} `), "input");
        input.type = "number";
        input.step = "any";
        input.addEventListener("input", () => {
          state.bound(column.name, end, input.value);
          this.tell(column.name);
          this.changed();
        });
        return [end, input];
      }));
      return { inputs };
    }

    /// Show what the state says, whoever set it.
    follow() {
      const { state } = this;
      this.search.value = state.search;
      this.all.checked = state.all;
      for (const name of [...state.values.keys(), ...state.ranges.keys()]) {
        if (!this.made.has(name) && this.offered(this.table.column(name))) this.add(name).open = false;
      }
      for (const [name, { boxes, values, inputs }] of this.made) {
        boxes?.forEach((box, index) => { box.checked = state.values.get(name)?.has(values[index]) ?? false; });
        const range = state.ranges.get(name) ?? { least: -Infinity, most: Infinity };
        for (const [end, input] of Object.entries(inputs ?? {})) {
          input.value = Number.isFinite(range[end]) ? String(range[end]) : "";
        }
        this.tell(name);
      }
    }

    tell(name) {
      const { said, column, values } = this.made.get(name);
      const wanted = this.state.values.get(name), range = this.state.ranges.get(name);
      let words = "all";
      if (wanted) {
        words = wanted.size === 1 ? column.shown([...wanted][0]) || "not measured" : `${wanted.size} of ${values?.length ?? "many"}`;
      } else if (range) {
        const ends = [[range.least, "\u2265\u2009"], [range.most, "\u2264\u2009"]].filter(([end]) => Number.isFinite(end));
        words = ends.map(([end, sign]) => sign + globalThis.formatNumber(end, Number.isInteger(end) ? 0 : 2)).join(", ");
      }
      said.textContent = `${column.label}: ${words}`;
      said.parentNode.classList.toggle("set", words !== "all");
    }
  }

  explorer.Filters = Filters;
})();
