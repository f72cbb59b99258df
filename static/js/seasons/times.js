// @ts-check
/**
 * Times are shown and filled in in the device's zone where the account names none, as everywhere
 * else on the site. Without this they are in UTC, and the page says so.
 */

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * A moment as a datetime-local field writes it: in the device's zone, to the minute.
 * @param {Date} moment
 */
function local(moment) {
  /** @param {number} number */
  const two = (number) => String(number).padStart(2, "0");
  const day = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join("-");
  return `${day}T${two(moment.getHours())}:${two(moment.getMinutes())}`;
}

/** @type {NodeListOf<HTMLInputElement>} */
const inputs = document.querySelectorAll("input[data-utc]");
for (const input of inputs) {
  // In UTC; with its zone where the server has sent back what was filled in.
  const written = input.getAttribute("value") ?? "";
  const moment = new Date(written.length > 16 ? written : `${written}Z`);
  if (!Number.isNaN(moment.getTime())) input.value = local(moment);
  const shown = input.value;
  input.addEventListener("input", () => {
    const there = !input.value || local(new Date(input.value)) === input.value;
    input.setCustomValidity(there ? "" : "There is no such time: the clocks skip it.");
  });
  input.form?.addEventListener("formdata", ({ formData }) => {
    if (!input.value) return;
    // What was left as it was is sent back as it came.
    const sent = input.value === shown ? written : new Date(input.value).toISOString();
    formData.set(input.name, sent);
  });
}

for (const told of document.querySelectorAll("[data-zone]")) {
  told.textContent = zone.replaceAll("_", " ");
}
