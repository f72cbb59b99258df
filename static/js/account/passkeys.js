// @ts-check
/**
 * Passkeys: a form that makes one, shows one, or signs in by one. The browser's answer goes into its
 * hidden field, and the form is sent as any other.
 *
 * `data-passkey` says which: `make`, `use` or `sign-in`. What is to be signed stands in the element
 * that `data-options` names; to sign in it is asked for at the form's own address, when it is needed.
 */

/** @typedef {{publicKey: PublicKeyCredentialCreationOptionsJSON}} ToMake */
/** @typedef {{publicKey: PublicKeyCredentialRequestOptionsJSON}} ToShow */
/** @typedef {Partial<Record<string, ArrayBuffer | null>> & {getTransports?: () => string[]}} Answer */
/**
 * @typedef {object} Given what a browser has made or shown, as far as it is told
 * @property {string} type
 * @property {string} id
 * @property {ArrayBuffer} rawId
 * @property {Answer} response
 * @property {string | null} [authenticatorAttachment]
 * @property {() => object} getClientExtensionResults
 */

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

/**
 * @param {PublicKeyCredentialDescriptorJSON[] | undefined} listed
 * @returns {PublicKeyCredentialDescriptor[]}
 */
function known(listed) {
  return (listed ?? []).map(({ id }) => ({ type: "public-key", id: bytesOf(id) }));
}

/**
 * What a browser is asked to make, from what the server sent.
 * @param {ToMake} options
 * @param {boolean} alone whether it is to sign in without a name and a password
 * @returns {PublicKeyCredentialCreationOptions}
 */
export function toMake({ publicKey: asked }, alone) {
  return {
    challenge: bytesOf(asked.challenge),
    rp: asked.rp,
    user: { ...asked.user, id: bytesOf(asked.user.id) },
    pubKeyCredParams: asked.pubKeyCredParams,
    timeout: asked.timeout,
    excludeCredentials: known(asked.excludeCredentials),
    authenticatorSelection: {
      ...asked.authenticatorSelection,
      ...(alone ? { userVerification: "required" } : {}),
      residentKey: alone ? "required" : "discouraged",
      requireResidentKey: alone,
    },
    // Whether it can sign in alone is told with it.
    extensions: { credProps: true },
  };
}

/**
 * What a browser is asked to show.
 * @param {ToShow} options
 * @returns {PublicKeyCredentialRequestOptions}
 */
export function toShow({ publicKey: asked }) {
  return {
    challenge: bytesOf(asked.challenge),
    rpId: asked.rpId,
    timeout: asked.timeout,
    userVerification: /** @type {UserVerificationRequirement | undefined} */ (
      asked.userVerification
    ),
    allowCredentials: known(asked.allowCredentials),
  };
}

const PARTS = [
  "clientDataJSON",
  "attestationObject",
  "authenticatorData",
  "signature",
  "userHandle",
];

/**
 * What a browser has made or shown, as the server reads it.
 * @param {Given} credential
 */
export function told(credential) {
  const { response } = credential;
  /** @type {Record<string, string | string[]>} */
  const parts = {};
  for (const name of PARTS) {
    const part = response[name];
    if (part) {
      parts[name] = textOf(part);
    }
  }
  if (response.getTransports) {
    parts.transports = response.getTransports();
  }
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
  switch (name) {
    case "InvalidStateError":
      return "This device has a passkey for your account already.";
    case "NotAllowedError":
    case "AbortError":
      return "Nothing was done: it was cancelled, or took too long. You can try again.";
    case "SecurityError":
      return "Your browser uses no passkeys at this address of the site.";
    default:
      return "Your browser could not do it. Please try again, or use another way.";
  }
}

/**
 * @param {HTMLFormElement} form
 * @returns {Promise<ToMake | ToShow>}
 */
async function optionsOf(form) {
  const named = form.dataset.options;
  if (named) {
    const text = document.getElementById(named)?.textContent ?? "";
    const written = /** @type {ToMake | ToShow} */ (JSON.parse(text));
    return written;
  }
  const answer = await fetch(form.action, { headers: { Accept: "application/json" } });
  if (!answer.ok) {
    throw new Error(`status ${answer.status}`);
  }
  const found = /** @type {{request_options: ToShow}} */ (await answer.json());
  return found.request_options;
}

/** @param {HTMLFormElement} form */
async function ceremony(form) {
  const options = await optionsOf(form);
  const { credentials } = navigator;
  if (form.dataset.passkey !== "make") {
    return credentials.get({ publicKey: toShow(/** @type {ToShow} */ (options)) });
  }
  const box = /** @type {HTMLInputElement | null} */ (form.querySelector("[name=passwordless]"));
  const publicKey = toMake(/** @type {ToMake} */ (options), box?.checked ?? false);
  return credentials.create({ publicKey });
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
        field.value = JSON.stringify(
          told(/** @type {Given} */ (/** @type {unknown} */ (credential))),
        );
        form.submit();
      },
      (/** @type {unknown} */ error) => {
        button.disabled = false;
        problem.textContent = wordsFor(error);
        problem.hidden = false;
      },
    );
  });
  form.hidden = false;
}

if (typeof document !== "undefined" && "PublicKeyCredential" in globalThis) {
  for (const form of document.querySelectorAll("form[data-passkey]")) {
    enhance(/** @type {HTMLFormElement} */ (form));
  }
}
