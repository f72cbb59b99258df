// The peer of `live.py`: boardgame.io with its PostgreSQL storage, as its documentation has it.
//
// A game of alternating moves between two players, of as many moves as its match is set up for, with
// a state about as large as it is set up for. Each player sees their own hand only. What a server
// would have in earnest stands as it is by default: credentials, a queue for each match, the lobby.

import server from "boardgame.io/dist/cjs/server.js";
import core from "boardgame.io/dist/cjs/core.js";
import storage from "bgio-postgres";

const { Server, Origins } = server;
const { INVALID_MOVE, PlayerView } = core;

// Bytes of one cell as JSON, and of what boardgame.io keeps around the state.
const CELL_BYTES = 26;
const AROUND_BYTES = 700;

const alternating = {
  name: "alternating",
  minPlayers: 2,
  maxPlayers: 2,
  disableUndo: true,
  setup: (_context, { turns, bytes }) => ({
    left: turns,
    cells: Array.from(
      { length: Math.max(turns, Math.ceil((bytes - AROUND_BYTES) / CELL_BYTES)) },
      () => ({
        by: null,
        low: 0,
        high: 0,
      }),
    ),
    players: { 0: { hand: [1, 2, 3, 4, 5, 6] }, 1: { hand: [1, 2, 3, 4, 5, 6] } },
  }),
  playerView: PlayerView.STRIP_SECRETS,
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    place: ({ G, playerID }, at, low, high) => {
      const cell = G.cells[at];
      if (cell === undefined || cell.by !== null || !G.players[playerID].hand.includes(low)) {
        return INVALID_MOVE;
      }
      Object.assign(cell, { by: Number(playerID), low, high });
      G.left -= 1;
      return undefined;
    },
  },
  endIf: ({ G, ctx }) => (G.left === 0 ? { winner: ctx.currentPlayer } : undefined),
};

const db = new storage.PostgresStore(process.env.DATABASE_URL, { logging: false });
await Server({ games: [alternating], db, origins: [Origins.LOCALHOST] }).run(
  Number(process.env.PORT),
);
