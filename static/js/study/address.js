// @ts-check
/* Where in a study one is, as its address has it: `?at=12`, for what could have happened from there
   `&line=`, and for the eyes of one seat `&eyes=0`. */

/** @typedef {{at: number, line: string}} Place */
/** @typedef {"0" | "1" | "all"} Eyes */

/**
 * With whose eyes an address looks.
 * @param {string} address
 * @returns {Eyes}
 */
export function eyesOf(address) {
  const eyes = new URL(address).searchParams.get("eyes");
  return eyes === "0" || eyes === "1" ? eyes : "all";
}

/**
 * The place that an address names; the last position where it is beyond, the first where it names none.
 * @param {string} address
 * @param {number} last
 * @returns {Place}
 */
export function placeOf(address, last) {
  const { searchParams } = new URL(address);
  const at = Number.parseInt(searchParams.get("at") ?? "", 10);
  return {
    at: Number.isNaN(at) ? 0 : Math.min(Math.max(at, 0), last),
    line: searchParams.get("line") ?? "",
  };
}

/**
 * The address of a place.
 * @param {string} address
 * @param {Place} place
 * @param {Eyes} [eyes]
 */
export function addressOf(address, { at, line }, eyes = "all") {
  const url = new URL(address);
  url.hash = "";
  url.search = "";
  url.searchParams.set("at", String(at));
  if (line !== "") url.searchParams.set("line", line);
  if (eyes !== "all") url.searchParams.set("eyes", eyes);
  return url.href;
}

/**
 * A line in steps: who made each (`0`, `1`, `chance` or `organiser`), and what it is.
 * @param {string} line
 */
export function stepsOf(line) {
  if (line === "") return [];
  return line.split("~").map((step) => {
    const [actor, ...words] = step.split(" ");
    return { actor, text: words.join(" ") };
  });
}

/**
 * A line without its last answer, and without what chance brought after it.
 * @param {string} line
 */
export function shorter(line) {
  const steps = line.split("~");
  const last = steps.findLastIndex((step) => /^[01] /.test(step));
  return last < 0 ? "" : steps.slice(0, last).join("~");
}
