// Lowest out, as in game.py.
"use strict";

const { serve } = require("./rules_program.js");

const SEATS = ["red", "green", "blue", "white"].slice(0, Number(process.argv[2]));
const ROUNDS = 6;
const GAME = {
  protocol: 1,
  name: "lowest-out",
  title: "Lowest out",
  version: "1",
  seats: SEATS,
  hidden: SEATS.length === 3,
  options: [{ name: "scores", type: "boolean", default: false, text: "by score (L2)" }],
  clauses: [
    { id: "L1", title: "Round", text: "All seats that are in name 1, 2 or 3; the lowest are out." },
    { id: "L2", title: "End", text: "Who is in longest wins. Six rounds are the most." },
  ],
};

function play(options, state, step) {
  const named = step.together ??
    Object.fromEntries(SEATS.map((seat, at) => [seat, step.both[at]]));
  const [lowest, ...higher] = [...new Set(Object.values(named))].sort();
  const isOut = (seat) => higher.length > 0 && named[seat] === lowest;
  const out = state.out.map((before, at) => isOut(SEATS[at]) ? state.round : before);
  return { out, round: state.round + 1 };
}

function show(options, state) {
  const rows = SEATS.map((seat, at) =>
    state.out[at] ? `${seat}: out in round ${state.out[at]}` : `${seat}: in`
  );
  const bySeat = (seats, value) => Object.fromEntries(seats.map((seat) => [seat, value]));
  const shown = GAME.hidden ? { rows, views: bySeat(SEATS, state) } : { rows };
  const inside = SEATS.filter((_, at) => !state.out[at]);
  if (inside.length === 1 || state.round > ROUNDS) {
    return { ...shown, turn: { over: over(options, state), reason: "rounds" } };
  }
  const turn = SEATS.length > 2 ? { together: inside } : { both: true };
  return { ...shown, turn, legal: bySeat(inside, ["1", "2", "3"]) };
}

function over(options, state) {
  const lasted = state.out.map((out) => out || state.round);
  if (options.scores) {
    return { scores: lasted };
  }
  const place = (rounds) => 1 + lasted.filter((other) => other > rounds).length;
  if (SEATS.length > 2) {
    return { places: Object.fromEntries(SEATS.map((seat, at) => [seat, place(lasted[at])])) };
  }
  return lasted[0] === lasted[1] ? "draw" : SEATS[Number(lasted[1] > lasted[0])];
}

serve(GAME, {
  start: () => ({ out: SEATS.map(() => 0), round: 1 }),
  maxPlies: () => ROUNDS,
  play,
  show,
});
