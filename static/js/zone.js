// @ts-check
/** Tells the server in which time zone this device is. */

const ZONE_REFUSED = "gauntlet.zone-refused";

/**
 * @param {string} zone
 * @param {string} address
 * @param {string} token of forms
 */
export async function tell(zone, address, token) {
  if (kept(ZONE_REFUSED) === zone) return;
  if (!token) return; // no page with a form has been opened yet: the next one tells
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: { Accept: "application/json", "X-CSRFToken": token },
      body: new URLSearchParams({ device_zone: zone }),
      credentials: "same-origin",
    });
    if (response.status === 422) keep(ZONE_REFUSED, zone); // newer than the server's zones
    await response.text(); // until it is read a browser takes it for under way
  } catch {
    // The next page tells.
  }
}

/* Storage can be forbidden altogether. */
/** @param {string} name */
function kept(name) {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {string} value
 */
function keep(name, value) {
  try {
    sessionStorage.setItem(name, value);
  } catch {
    // It is asked again by the next page.
  }
}
