// @ts-check
/* The page for when there is no network: it stands at the address that was asked for, and asks for
   that again as soon as there is one. */

addEventListener("online", () => location.reload());
document.getElementById("again")?.addEventListener("click", () => location.reload());
