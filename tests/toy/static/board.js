/* The board of the toy: how many lie on the heap. It needs nothing of what other boards share. */

export const keys = [];
export const waiting = { ready: "looking around", pick: "picking a card", take: "taking" };
export const examples = { take: "take 2" };
export const scores = (view) => view.game?.points ?? null;
export const caption = (view) => (view.game === null ? "" : `${view.game.heap} on the heap`);
export const tags = () => [];
export const because = () => "";

export function render(view) {
  const board = document.createElement("p");
  board.textContent = caption(view);
  return board;
}

export function mount(root) {
  const board = root.appendChild(document.createElement("p"));
  return {
    update: (view) => (board.textContent = caption(view)),
    focus: () => {},
    destroy: () => board.remove(),
  };
}
