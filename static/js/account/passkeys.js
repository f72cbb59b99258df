// @ts-check
/**
 * Passkeys: a form that makes one, shows one, or signs in by one. The browser's answer goes into its
 * hidden field, and the form is sent as any other.
 *
 * `data-passkey` says which: `make`, `use` or `sign-in`. What is to be signed stands in the element
 * that `data-options` names; to sign in it is asked for at the form's own address, when it is needed.
 */

/** @typedef {{publicKey: Record<string, any>}} Options */

/**
 * Bytes of a text in base64url.
 * @param {string} text
 */
export function bytesOf(text) {
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(bytes, (each) => each.charCodeAt(0));
}

/**
 * Bytes as text in base64url, without padding.
 * @param {ArrayBuffer} buffer
 */
export function textOf(buffer) {
  const bytes = Array.from(new Uint8Array(buffer), (each) => String.fromCharCode(each)).join("");
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {{id: string}[] | undefined} listed */
function known(listed) {
  return (listed ?? []).map((each) => ({ ...each, id: bytesOf(each.id) }));
}

/**
 * What a browser is asked to make, from what the server sent.
 * @param {Options} options
 * @param {boolean} alone whether it is to sign in without a name and a password
 */
export function toMake(options, alone) {
  const asked = options.publicKey;
  const selection = { ...asked.authenticatorSelection };
  selection.residentKey = alone ? "required" : "discouraged";
  selection.requireResidentKey = alone;
  if (alone) selection.userVerification = "required";
  return {
    ...asked,
    challenge: bytesOf(asked.challenge),
    user: { ...asked.user, id: bytesOf(asked.user.id) },
    excludeCredentials: known(asked.excludeCredentials),
    authenticatorSelection: selection,
  };
}

/**
 * What a browser is asked to show.
 * @param {Options} options
 */
export function toShow(options) {
  const asked = options.publicKey;
  return {
    ...asked,
    challenge: bytesOf(asked.challenge),
    allowCredentials: known(asked.allowCredentials),
  };
}

/**
 * What a browser has made or shown, as the server reads it.
 * @param {any} credential
 */
export function told(credential) {
  const response = credential.response;
  /** @type {Record<string, any>} */
  const parts = {};
  for (const name of [
    "clientDataJSON",
    "attestationObject",
    "authenticatorData",
    "signature",
    "userHandle",
  ]) {
    if (response[name]) parts[name] = textOf(response[name]);
  }
  if (response.getTransports) parts.transports = response.getTransports();
  return {
    type: credential.type,
    id: credential.id,
    rawId: textOf(credential.rawId),
    response: parts,
    authenticatorAttachment: credential.authenticatorAttachment ?? null,
    clientExtensionResults: credential.getClientExtensionResults(),
  };
}

/**
 * Why nothing came of it, in words.
 * @param {unknown} error
 */
export function wordsFor(error) {
  const name = error instanceof Error || error instanceof DOMException ? error.name : "";
  if (name === "InvalidStateError") return "This device has a passkey for your account already.";
  if (name === "NotAllowedError" || name === "AbortError")
    return "Nothing was done: it was cancelled, or took too long. You can try again.";
  if (name === "SecurityError") return "Your browser uses no passkeys at this address of the site.";
  return "Your browser could not do it. Please try again, or use another way.";
}

/** @param {HTMLFormElement} form */
async function optionsOf(form) {
  const named = form.dataset.options;
  if (named)
    return /** @type {Options} */ (JSON.parse(document.getElementById(named)?.textContent ?? ""));
  const answer = await fetch(form.action, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return /** @type {Options} */ ((await answer.json()).request_options);
}

/** @param {HTMLFormElement} form */
async function ceremony(form) {
  const options = await optionsOf(form);
  if (form.dataset.passkey !== "make")
    return await navigator.credentials.get({
      publicKey: /** @type {any} */ (toShow(options)),
    });
  const box = /** @type {HTMLInputElement | null} */ (form.querySelector("[name=passwordless]"));
  return await navigator.credentials.create({
    publicKey: /** @type {any} */ (toMake(options, box?.checked ?? false)),
  });
}

/** @param {HTMLFormElement} form */
function enhance(form) {
  const field = /** @type {HTMLInputElement} */ (form.querySelector("[name=credential]"));
  const problem = /** @type {HTMLElement} */ (form.querySelector("[data-passkey-problem]"));
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("[type=submit]"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    problem.hidden = true;
    ceremony(form).then(
      (credential) => {
        field.value = JSON.stringify(told(credential));
        form.submit();
      },
      (error) => {
        button.disabled = false;
        problem.textContent = wordsFor(error);
        problem.hidden = false;
      },
    );
  });
  form.hidden = false;
}

if (typeof document !== "undefined" && "credentials" in navigator && "PublicKeyCredential" in globalThis)
  for (const form of document.querySelectorAll("form[data-passkey]"))
    enhance(/** @type {HTMLFormElement} */ (form));
