// @ts-check
/* On a small screen a match has all of it: the site's navigation and the page's own tools come with
   one button of the bar, over the page, and nothing moves for them. */

/**
 * Have `button` show and hide them. The style sheet knows what that is by `data-menu` on the document.
 * @param {HTMLElement} button
 * @param {HTMLElement} tools what is over the page with the site's header
 */
export function menu(button, tools) {
  const page = document.documentElement;
  const isOpen = () => page.hasAttribute("data-menu");
  /** @param {boolean} open */
  const show = (open) => {
    page.toggleAttribute("data-menu", open);
    button.setAttribute("aria-expanded", String(open));
  };
  /** @param {EventTarget | null} target */
  const isOutside = (target) =>
    target instanceof Node &&
    ![button, tools, document.querySelector(".site-header")].some((part) => part?.contains(target));
  button.addEventListener("click", () => show(!isOpen()));
  document.addEventListener("pointerdown", ({ target }) => {
    if (isOpen() && isOutside(target)) show(false);
  });
  document.addEventListener("focusin", ({ target }) => {
    if (isOpen() && target !== document.body && isOutside(target)) show(false);
  });
  // Before the board takes the key for its own.
  addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || !isOpen()) return;
      event.preventDefault();
      event.stopPropagation();
      show(false);
      button.focus();
    },
    { capture: true },
  );
}
