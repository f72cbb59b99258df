// @ts-check
/* What is said of an answer of the API that is none. */

export const AGAIN = "That did not work. Please try again.";

/**
 * Why something was refused, as the server says it.
 * @param {Response} answer
 */
export async function whyNot(answer) {
  const document = /** @type {unknown} */ (await answer.json().catch(() => ({})));
  return /** @type {Partial<Api.Problem>} */ (document).sentence ?? AGAIN;
}
