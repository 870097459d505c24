// The rules of @GAME@. The game here is Nim: replace it with your own.
//
// The result of every function must depend only on its arguments. A state is any JSON but an array
// (wrap one, as in `{ cells }`); write its keys in a fixed order.
"use strict";

const { serve } = require("./rules_program.js");

const SEATS = ["first", "second"];
const GAME = {
  protocol: 1,
  name: "@GAME@",
  title: "@TITLE@",
  version: "1",
  seats: SEATS,
  hidden: false,
  options: [
    {
      name: "misere",
      type: "boolean",
      default: false,
      text: "the seat that takes the last stick loses (N2)",
    },
  ],
  clauses: [
    {
      id: "N1",
      title: "Move",
      text:
        "There are heaps a, b and c of 3, 4 and 5 sticks. The seats take turns; each takes one " +
        "or more sticks from one heap: `b2` takes two sticks from heap b.",
    },
    { id: "N2", title: "End", text: "The seat that takes the last stick wins." },
  ],
};

// The first state.
function start(options) {
  return { heaps: { a: 3, b: 4, c: 5 }, next: "first" };
}

// The length of the longest game.
function maxPlies(options) {
  return 12;
}

// The state after a step: README.md describes what `step` has after each turn.
function play(options, state, step) {
  const heap = step.move[0];
  const heaps = { ...state.heaps, [heap]: state.heaps[heap] - Number(step.move.slice(1)) };
  return { heaps, next: other(state.next) };
}

// Whose turn it is, what is legal, and the board for people.
function show(options, state) {
  const heaps = Object.entries(state.heaps);
  const rows = heaps.map(([heap, sticks]) => `${heap} ${"|".repeat(sticks)}`);
  if (heaps.every(([, sticks]) => sticks === 0)) {
    const winner = options.misere ? state.next : other(state.next);
    return { turn: { over: winner, reason: "last-stick" }, rows };
  }
  const legal = heaps.flatMap(([heap, sticks]) =>
    Array.from({ length: sticks }, (_, taken) => `${heap}${taken + 1}`)
  );
  return { turn: { move: state.next }, legal, rows };
}

function other(seat) {
  return SEATS[1 - SEATS.indexOf(seat)];
}

serve(GAME, { start, maxPlies, play, show });
