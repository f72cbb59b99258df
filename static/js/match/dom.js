/* Making elements without markup strings: nothing that a person typed is ever parsed as HTML. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element. Attributes set to null, undefined or false are left out; `on` holds listeners,
 * `data` and `style` are applied through the object model (the site's policy forbids style="").
 */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An SVG element; the same conventions as `h`. */
export function s(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/** An icon of the site's sprite (its address is the page's data-icons); words go beside it. */
export function icon(name) {
  const sprite = document.querySelector("[data-icons]")?.dataset.icons;
  if (!sprite) return null;
  return s(
    "svg",
    { class: "icon", "aria-hidden": "true", focusable: "false" },
    s("use", { href: `${sprite}#${name}` }),
  );
}

/** Replace everything inside `parent`. */
export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter(isThere));
  return parent;
}

/** Set the text of an element only where it differs, so that screen readers are left in peace. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Parts that stay as high as they ever were, so that what is below them stays where it is. `reset`
 * lets them begin anew: the page is another one then. So it is where its width has changed.
 */
export class Room {
  constructor() {
    this.heights = new Map();
    this.width = innerWidth;
    this.observer = new ResizeObserver((entries) => {
      if (innerWidth !== this.width) this.reset();
      else for (const { target } of entries) this.#hold(target);
    });
  }

  keep(...elements) {
    for (const element of elements) {
      this.heights.set(element, 0);
      this.observer.observe(element);
    }
  }

  reset() {
    this.width = innerWidth;
    for (const element of this.heights.keys()) {
      element.style.minHeight = "";
      this.heights.set(element, 0);
    }
  }

  #hold(element) {
    const height = element.getBoundingClientRect().height;
    if (height <= this.heights.get(element)) return;
    this.heights.set(element, height);
    element.style.minHeight = `${height}px`;
  }
}

/** Hold still what of the elements is in view: of what is returned, call it once the page has changed.
    The first that is still there decides. */
export function holdView(elements) {
  const shown = ({ width, top, bottom }) => width > 0 && bottom > 0 && top < innerHeight;
  const places = [...elements]
    .map((element) => [element, element.getBoundingClientRect()])
    .filter(([, place]) => shown(place));
  return () => {
    const still = places.find(([element]) => element.getClientRects().length > 0);
    if (still === undefined) return;
    const [element, { top }] = still;
    const moved = element.getBoundingClientRect().top - top;
    if (moved !== 0) scrollBy({ top: moved, behavior: "instant" });
  };
}

/** Keep an element, until this is called again, from getting so much shorter that what is in view
    below it would move: its style sheet makes `--kept` its least height. */
export function keepEnd(element) {
  const { top, bottom, height } = element.getBoundingClientRect();
  const least = bottom < innerHeight ? height : innerHeight - top;
  element.style.setProperty("--kept", `${Math.max(0, least)}px`);
}

/** The JSON in `<script type="application/json" id="…">`, or null where there is none. */
export function embedded(id, root = document) {
  const block = root.getElementById(id);
  return block === null ? null : JSON.parse(block.textContent);
}

/** How to scroll: smoothly, unless the reader wants less motion. */
export function scrolling() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
}

/** The time of day of an instant, in the zone that the reader has chosen or the device's. */
export function timeOfDay(at, options = {}) {
  const timeZone = document.documentElement.dataset.timeZone || undefined;
  return new Date(at).toLocaleTimeString("en-GB", { ...options, timeZone });
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) {
        element.addEventListener(event, listener);
      }
    } else if (name === "data") {
      Object.assign(element.dataset, value);
    } else if (name === "style") {
      for (const [property, set] of Object.entries(value)) element.style.setProperty(property, set);
    } else if (isThere(value)) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.flat(Infinity).filter(isThere));
  return element;
}

function isThere(value) {
  return value !== null && value !== undefined && value !== false;
}
