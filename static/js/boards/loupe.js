// @ts-check
/* A magnifier for fingers: while one is on a board whose squares are smaller than a fingertip, what
   lies under it is shown above it, enlarged. It is a live picture of the board's own drawing, in the
   way of nothing: not of pointers, and not of screen readers. */

import { h, s } from "../match/dom.js";

const THUMB = 44; // what a finger hits without help, in CSS pixels
const ACROSS = 136; // of the magnifier
const ABOVE = 30; // how far it stays off the finger
const EDGE = 6; // and off the screen's edges

let parts = 0;

/**
 * Give a board's drawing a magnifier. `wanted()` says whether a finger does anything there now;
 * `size()` how large what it has to hit is on the screen, in CSS pixels.
 * @param {SVGSVGElement} svg
 * @param {{wanted: () => boolean, size: () => number}} tools
 * @param {AddEventListenerOptions} [options]
 */
export function loupe(svg, { wanted, size }, options = {}) {
  const picture = s("svg", { class: "loupe__picture", focusable: "false" });
  const aim = h("span", { class: "loupe__aim" });
  const glass = h("div", { class: "loupe", "aria-hidden": "true", hidden: true }, picture, aim);
  /** @type {number | null} */
  let finger = null;

  const build = () => {
    picture.replaceChildren();
    for (const part of svg.children) {
      if (part.localName === "defs") continue;
      if (part.id === "") part.id = `loupe-${(parts += 1)}`;
      picture.append(s("use", { href: `#${part.id}` }));
    }
    (svg.closest(".match__board") ?? document.body).append(glass);
  };

  /** @param {PointerEvent} event */
  const show = (event) => {
    const matrix = svg.getScreenCTM();
    const hit = size();
    if (matrix === null || hit <= 0) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const enlarged = matrix.a * Math.max(2, Math.min(4, (THUMB * 1.1) / hit));
    const wide = ACROSS / enlarged;
    picture.setAttribute("viewBox", `${x - wide / 2} ${y - wide / 2} ${wide} ${wide}`);
    const room = document.documentElement.clientWidth - ACROSS - EDGE;
    let left = event.clientX - ACROSS / 2;
    let top = event.clientY - ACROSS - ABOVE;
    // No room above: beside the finger, on the side where there is more of it.
    if (top < EDGE) {
      top = EDGE;
      const side = event.clientX > innerWidth / 2 ? -ACROSS - ABOVE : ABOVE;
      left = event.clientX + side;
    }
    glass.style.setProperty("left", `${Math.min(Math.max(left, EDGE), room)}px`);
    glass.style.setProperty("top", `${top}px`);
    glass.hidden = false;
  };

  const hide = () => {
    finger = null;
    glass.hidden = true;
  };

  svg.addEventListener(
    "pointerdown",
    (event) => {
      if (event.pointerType === "mouse") return;
      // Two fingers turn or scroll: neither of them aims.
      if (!event.isPrimary) {
        hide();
        return;
      }
      if (!wanted() || size() >= THUMB) return;
      finger = event.pointerId;
      build();
      show(event);
    },
    options,
  );
  svg.addEventListener(
    "pointermove",
    (event) => {
      if (event.pointerId === finger) show(event);
    },
    options,
  );
  for (const end of /** @type {const} */ (["pointerup", "pointercancel", "lostpointercapture"])) {
    svg.addEventListener(
      end,
      (event) => {
        if (event.pointerId === finger) hide();
      },
      options,
    );
  }
}
