// @ts-check
/* Making elements without markup strings: nothing that a person typed is ever parsed as HTML. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element. Attributes set to null, undefined or false are left out; `on` holds listeners,
 * `data` and `style` are applied through the object model (the site's policy forbids style="").
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Dom.Attributes} [attributes]
 * @param {...Dom.Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/**
 * An SVG element; the same conventions as `h`.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Dom.Attributes} [attributes]
 * @param {...Dom.Child} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function s(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * An icon of the site's sprite (its address is the page's data-icons); words go beside it.
 * @param {string} name
 */
export function icon(name) {
  const sprite = document.querySelector("[data-icons]")?.getAttribute("data-icons");
  if (!sprite) return null;
  return s(
    "svg",
    { class: "icon", "aria-hidden": "true", focusable: "false" },
    s("use", { href: `${sprite}#${name}` }),
  );
}

/**
 * The element below `root` that a selector means. Throws an Error where the page has none.
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {HTMLElement}
 */
export function find(root, selector) {
  const found = root.querySelector(selector);
  if (found instanceof HTMLElement) return found;
  throw new Error(`The page has no ${selector}.`);
}

/**
 * The element that an event is about, or null.
 * @param {Event} event
 */
export function elementOf({ target }) {
  return target instanceof Element ? target : null;
}

/**
 * Replace everything inside `parent`.
 * @template {Element} T
 * @param {T} parent
 * @param {...Dom.Child} children
 * @returns {T}
 */
export function fill(parent, ...children) {
  parent.replaceChildren(...flat(children));
  return parent;
}

/**
 * Set the text of an element only where it differs, so that screen readers are left in peace.
 * @param {Element} element
 * @param {string} text
 */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Parts that stay as high as they ever were, so that what is below them stays where it is. `reset`
 * lets them begin anew: the page is another one then. So it is where its width has changed.
 */
export class Room {
  constructor() {
    /** @type {Map<HTMLElement, number>} */
    this.heights = new Map();
    this.width = innerWidth;
    this.observer = new ResizeObserver((entries) => {
      if (innerWidth !== this.width) this.reset();
      else for (const entry of entries) this.#hold(entry);
    });
  }

  /** @param {...HTMLElement} elements */
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

  /**
   * As it was measured for all of them: to ask again would have the page laid out for each.
   * @param {ResizeObserverEntry} entry
   */
  #hold({ target, borderBoxSize: [{ blockSize: height }] }) {
    const element = /** @type {HTMLElement} */ (target);
    if (height <= (this.heights.get(element) ?? 0)) return;
    this.heights.set(element, height);
    element.style.minHeight = `${height}px`;
  }
}

/**
 * Hold still what of the elements is in view: of what is returned, call it once the page has changed.
 * The first that is still there decides.
 * @param {Iterable<Element>} elements
 * @returns {() => void}
 */
export function holdView(elements) {
  /** @param {DOMRect} rect */
  const shown = ({ width, top, bottom }) => width > 0 && bottom > 0 && top < innerHeight;
  const places = [...elements]
    .map((element) => ({ element, place: element.getBoundingClientRect() }))
    .filter(({ place }) => shown(place));
  return () => {
    const first = places.find(({ element }) => element.getClientRects().length > 0);
    if (first === undefined) return;
    const { element, place } = first;
    const { top } = place;
    const moved = element.getBoundingClientRect().top - top;
    if (moved !== 0) scrollBy({ top: moved, behavior: "instant" });
  };
}

/**
 * Keep an element, until this is called again, from getting so much shorter that what is in view
 * below it would move: its style sheet makes `--kept` its least height.
 * @param {HTMLElement} element
 */
export function keepEnd(element) {
  const { top, bottom, height } = element.getBoundingClientRect();
  const least = bottom < innerHeight ? height : innerHeight - top;
  element.style.setProperty("--kept", `${Math.max(0, least)}px`);
}

/**
 * The JSON in `<script type="application/json" id="…">`, or null where there is none.
 * @param {string} id
 * @param {Document} [root]
 * @returns {unknown}
 */
export function embedded(id, root = document) {
  const block = root.getElementById(id);
  return block === null ? null : JSON.parse(block.textContent);
}

/**
 * How much may move: "on" (as designed), "reduced" (nothing goes from place to place) or "off". The
 * choice made on this device counts where the device itself asks for no less.
 * @returns {"on" | "reduced" | "off"}
 */
export function motion() {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return "off";
  const wanted = document.documentElement.dataset.motion;
  return wanted === "reduced" || wanted === "off" ? wanted : "on";
}

/** How to scroll: smoothly, unless the reader wants less motion. */
export function scrolling() {
  return motion() === "on" ? "smooth" : "auto";
}

/**
 * The time of day of an instant, in the zone that the reader has chosen or the device's.
 * @param {number} at
 * @param {Intl.DateTimeFormatOptions} [options]
 */
export function timeOfDay(at, options = {}) {
  const timeZone = document.documentElement.dataset.timeZone || undefined;
  return new Date(at).toLocaleTimeString("en-GB", { ...options, timeZone });
}

/**
 * @template {HTMLElement | SVGElement} T
 * @param {T} element
 * @param {Dom.Attributes} attributes
 * @param {Dom.Child[]} children
 */
function filled(element, attributes, children) {
  for (const name of Object.keys(attributes)) {
    if (name in SPECIAL) SPECIAL[name](element, attributes);
    else {
      const value = attributes[name];
      if (isThere(value)) element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  add(element, children);
  return element;
}

/**
 * What is not put down as an attribute.
 * @type {Record<string, (element: HTMLElement | SVGElement, attributes: Dom.Attributes) => void>}
 */
const SPECIAL = {
  on(element, { on = {} }) {
    for (const [type, listener] of Object.entries(on)) {
      element.addEventListener(type, /** @type {EventListener} */ (listener));
    }
  },
  data: ({ dataset }, { data }) => Object.assign(dataset, data),
  style(element, { style = {} }) {
    for (const [property, set] of Object.entries(style)) element.style.setProperty(property, set);
  },
};

/**
 * @param {Element} parent
 * @param {Dom.Child[]} children
 */
function add(parent, children) {
  for (const child of children) {
    if (Array.isArray(child)) add(parent, child);
    else if (isThere(child)) parent.append(child);
  }
}

/**
 * @param {Dom.Child[]} children
 * @returns {(Node | string)[]}
 */
function flat(children) {
  return children.flatMap((child) => {
    if (Array.isArray(child)) return flat(child);
    return isThere(child) ? [child] : [];
  });
}

/**
 * @template T
 * @param {T | null | undefined | false} value
 * @returns {value is T}
 */
function isThere(value) {
  return value !== null && value !== undefined && value !== false;
}
