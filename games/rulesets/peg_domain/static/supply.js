// @ts-check
/* Pallets by clicking: each square of a pallet has a peg or none. What is wrong with a pallet the
   server says. */

import { fill, h } from "../../../../static/js/match/dom.js";

const COLUMNS = [..."ABCDEFGHIJKL"];
const ROWS = Array.from({ length: 16 }, (_, row) => row + 1);
/** @type {Record<string, string[]>} */
const WANTED = { pallets: ["red", "blue"], pallet: ["both"] };
/** @type {Record<string, string>} */
const TITLES = { red: "Red pallet", blue: "Blue pallet", both: "Pallet of both colours" };
/** @type {Record<string, [number, number] | undefined>} */
const STEPS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** A pallet that is clicked together. */
class Pallet {
  /**
   * @param {string} colour
   * @param {() => void} changed
   */
  constructor(colour, changed) {
    this.colour = colour;
    this.changed = changed;
    /** @type {Set<string>} */
    this.pegs = new Set();
    this.note = h("p", { class: "small muted pallet-editor__note" });
    /** @type {Map<string, HTMLElement>} */
    this.cells = new Map();
    this.grid = h("div", {
      class: "pallet-editor__grid",
      role: "grid",
      "aria-label": `${TITLES[colour]}: arrow keys go from square to square, Enter puts a peg there or takes it away`,
      "aria-multiselectable": "true",
    });
    this.grid.append(
      h(
        "div",
        { class: "pallet-editor__row", "aria-hidden": "true" },
        label(""),
        ...COLUMNS.map(label),
      ),
    );
    for (const row of ROWS) {
      const line = h("div", { class: "pallet-editor__row", role: "row" }, label(String(row)));
      for (const column of COLUMNS) {
        const cell = h("span", {
          class: "pallet-editor__square",
          role: "gridcell",
          tabindex: "-1",
          data: { square: `${column}${row}` },
        });
        this.cells.set(`${column}${row}`, cell);
        line.append(cell);
      }
      this.grid.append(line);
    }
    this.at = "A1";
    this.cells.get(this.at)?.setAttribute("tabindex", "0");
    this.grid.addEventListener("click", ({ target }) => {
      const square = target instanceof HTMLElement ? target.dataset.square : undefined;
      if (square === undefined) return;
      this.stand(square);
      this.toggle(square);
    });
    this.grid.addEventListener("keydown", (event) => this.key(event));
    /** @param {string} words @param {(square: string) => string} move */
    const turning = (words, move) =>
      h(
        "button",
        {
          class: "button button--small",
          type: "button",
          on: { click: () => this.become([...this.pegs].map(move)) },
        },
        words,
        h("span", { class: "visually-hidden" }, `: ${TITLES[colour]}`),
      );
    this.element = h(
      "section",
      { class: "pallet-editor", "aria-label": TITLES[colour], data: { colour } },
      h("h2", { class: "pallet-editor__title" }, TITLES[colour]),
      this.note,
      this.grid,
      h(
        "div",
        { class: "button-row" },
        turning("Half a turn", (square) => moved(square, true, true)),
        turning("Mirror", (square) => moved(square, true, false)),
        h(
          "button",
          {
            class: "button button--small button--quiet",
            type: "button",
            on: { click: () => this.become([]) },
          },
          "Take all pegs away",
          h("span", { class: "visually-hidden" }, `: ${TITLES[colour]}`),
        ),
      ),
    );
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const step = STEPS[event.key];
    if (step !== undefined) {
      const column = COLUMNS.indexOf(this.at[0]) + step[0];
      const row = Number(this.at.slice(1)) + step[1];
      const square = `${COLUMNS[column] ?? ""}${row}`;
      if (this.cells.has(square)) this.stand(square);
    } else if (event.key === "Enter" || event.key === " ") {
      this.toggle(this.at);
    } else {
      return;
    }
    event.preventDefault();
  }

  /** @param {string} square */
  stand(square) {
    this.cells.get(this.at)?.setAttribute("tabindex", "-1");
    this.at = square;
    const cell = this.cells.get(square);
    cell?.setAttribute("tabindex", "0");
    cell?.focus();
  }

  /** @param {string} square */
  toggle(square) {
    if (!this.pegs.delete(square)) this.pegs.add(square);
    this.draw();
    this.changed();
  }

  /** @param {string[]} squares */
  become(squares) {
    this.pegs = new Set(squares);
    this.draw();
    this.changed();
  }

  draw() {
    for (const [square, cell] of this.cells) {
      const peg = this.pegs.has(square);
      cell.setAttribute("aria-selected", String(peg));
      cell.setAttribute("aria-label", `${square}, ${peg ? "a peg" : "no peg"}`);
    }
  }

  /** As records have it. */
  get text() {
    const squares = [...this.cells.keys()].filter((square) => this.pegs.has(square));
    return `pallet ${this.colour} ${squares.join(" ")}`.trim();
  }
}

/** @param {string} text */
function label(text) {
  return h("span", { class: "pallet-editor__label", "aria-hidden": "true" }, text);
}

/**
 * @param {string} square
 * @param {boolean} across
 * @param {boolean} down
 */
function moved(square, across, down) {
  const column = COLUMNS.indexOf(square[0]);
  const row = Number(square.slice(1));
  const to = across ? COLUMNS.length - 1 - column : column;
  return `${COLUMNS[to]}${down ? ROWS.length + 1 - row : row}`;
}

/**
 * @param {HTMLElement} root
 * @param {Supplied.Api} api
 * @returns {Supplied.Editor}
 */
export function mount(root, api) {
  let written = "";
  const pallets = WANTED[api.key].map(
    (colour) =>
      new Pallet(colour, () => {
        written = `${pallets.map((pallet) => pallet.text).join("\n")}\n`;
        api.change(written);
      }),
  );
  fill(root, h("div", { class: "pallet-editors" }, ...pallets.map((pallet) => pallet.element)));
  return {
    take(text) {
      // The server reads it; until then what is drawn stays.
      if (text !== written) written = "";
      if (!text.trim()) {
        for (const pallet of pallets) {
          pallet.pegs.clear();
          pallet.draw();
        }
      }
    },
    report({ parts }) {
      for (const pallet of pallets) {
        const part = parts.find(({ name }) => name === pallet.colour);
        if (part === undefined) continue;
        pallet.note.textContent = part.note;
        // What was clicked meanwhile is newer than what the server has read.
        if (written) continue;
        pallet.pegs = new Set(/** @type {string[]} */ (part.data));
        pallet.draw();
      }
    },
  };
}
