// @ts-check
/* What is beside the board of Domain: a shape looked at closely, the pick list and the ruler. Loaded
   once somebody wants one of them. None of it plays anything, or tells anybody else. */

import { COLOURS, isDrafting } from "./pixels.js";
import { Looking } from "./looking.js";
import { Ruler } from "./ruler.js";
import { Wanted } from "./wanted.js";

export class Beside {
  /** @type {Looking | null} */
  looking = null;
  /** @type {Wanted | null} */
  wanted = null;
  /** @type {Ruler | null} */
  ruler = null;

  /** @param {Domain.Beneath} board */
  constructor(board) {
    this.board = board;
  }

  /**
   * Look closely at a shape: the one that is asked for, else what is in hand or chosen, else the one
   * that was looked at last, or the first one.
   * @param {string} [wished]
   */
  look(wished) {
    const { game, ghost, choice, wanted } = this.board.seen;
    const ids = game.pool.shapes.map(({ id }) => id);
    const first = isDrafting(game) ? wanted?.find((id) => game.free.includes(id)) : null;
    const known = [wished, ghost?.shape, choice, this.looking?.shape, first, game.free.at(0)];
    const shape = known.find((id) => id && ids.includes(id)) ?? ids[0];
    this.looking ??= new Looking(this.board.host, () => this.board.seen);
    this.looking.open(shape, ghost?.shape === shape ? ghost : null);
  }

  /** Open the pick list. */
  list() {
    this.wanted ??= new Wanted(this.board.host, () => this.board.seen, {
      want: (shapes) => this.board.api.want?.(shapes),
      look: (shape) => this.look(shape),
    });
    this.wanted.open();
  }

  /** Take the ruler, or put it away. */
  measure() {
    if (this.ruler !== null) {
      this.ruler.end();
      return;
    }
    const { board } = this;
    if (board.domains.hidden) return;
    const [width, height] = board.seen.game.pool.size;
    const colours = board.lastDomain === "red" ? COLOURS : [...COLOURS].reverse();
    this.ruler = new Ruler({
      sheets: colours.map((colour) => ({ svg: board.fields[colour].svg, name: colour })),
      box: [0, 0, width, height],
      say: (words) => board.api.announce(words),
      ended: () => {
        this.ruler = null;
        board.redraw();
      },
    });
    board.redraw();
    board.fields[board.lastDomain].svg.focus({ preventScroll: true });
  }

  /** The board shows something else now. */
  update() {
    this.looking?.update();
    this.wanted?.update();
  }

  destroy() {
    this.ruler?.end();
    this.looking?.destroy();
    this.wanted?.destroy();
  }
}
