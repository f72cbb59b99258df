/* Runs before a page's own scripts and notes what the reader is told: what screen readers say, what
   sounds, and what moves without being asked to. */
(() => {
  const seen = { said: [], sounds: [], shifts: [], mark: 0 };
  window.seen = seen;

  /* -- how far the page has read what the server says -------------------------------------------- */
  const { parse } = JSON;
  JSON.parse = (...given) => {
    const read = parse(...given);
    if (read?.type === "test.mark") seen.mark = read.mark;
    return read;
  };

  /* -- what is read aloud: text that comes into a live region that is not switched off ----------- */
  const LIVE = "[aria-live=polite], [aria-live=assertive], [role=status], [role=alert], [role=log]";
  const shown = (element) => element.checkVisibility?.() !== false;
  const hear = (records) => {
    const heard = new Map();
    for (const { target, addedNodes, type } of records) {
      const node = target.nodeType === Node.ELEMENT_NODE ? target : target.parentElement;
      const region = node?.closest(LIVE);
      if (!region || region.getAttribute("aria-live") === "off" || !shown(region)) continue;
      const additions = type === "childList" ? [...addedNodes] : [target];
      // An alert is read as a whole whatever has changed in it.
      const text =
        region.getAttribute("role") === "alert"
          ? region.textContent.trim()
          : additions
              .map((each) => each.textContent)
              .join(" ")
              .trim();
      if (text === "" || (type === "attributes" && region !== target)) continue;
      const key = region.getAttribute("role") === "alert" ? region : `${heard.size}`;
      heard.set(key, {
        text: text.replaceAll(/\s+/g, " "),
        now: region.id === "announcer-now" || region.getAttribute("role") === "alert",
        where: region.id || region.dataset.part || region.className,
      });
    }
    seen.said.push(...heard.values());
  };
  new MutationObserver(hear).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributeFilter: ["hidden"],
  });

  /* -- what sounds: a line of frequencies for each sound ----------------------------------------- */
  class Silence {
    constructor() {
      this.state = "running";
      this.destination = {};
    }
    get currentTime() {
      return 0;
    }
    resume() {
      return Promise.resolve();
    }
    createOscillator() {
      const frequency = {
        set value(hertz) {
          seen.sounds.push(hertz);
        },
      };
      return { frequency, connect: (next) => next, start() {}, stop() {} };
    }
    createGain() {
      const gain = {
        setValueAtTime() {},
        exponentialRampToValueAtTime() {},
        linearRampToValueAtTime() {},
      };
      return { gain, connect: (next) => next };
    }
  }
  window.AudioContext = Silence;

  /* -- what moves: every shift that nobody asked for, and every one that moves the board ---------- */
  const BOARD = "svg.board, svg.domain__svg";
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const moved = entry.sources.map(({ node, previousRect, currentRect }) => {
        const element = node?.nodeType === Node.ELEMENT_NODE ? node : node?.parentElement;
        return {
          what: element ? `${element.tagName}.${element.getAttribute("class") ?? ""}` : "gone",
          board: Boolean(element?.closest(BOARD) || element?.querySelector(BOARD)),
          from: [previousRect.x, previousRect.y, previousRect.width, previousRect.height],
          to: [currentRect.x, currentRect.y, currentRect.width, currentRect.height],
        };
      });
      seen.shifts.push({
        value: entry.value,
        input: entry.hadRecentInput,
        at: entry.startTime,
        moved,
      });
    }
  }).observe({ type: "layout-shift", buffered: true });
})();
