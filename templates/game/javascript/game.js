// The rules of @GAME@. The game here is Nim: replace it with your own.
//
// The result of every function must depend only on its arguments. A state is any JSON; write its
// keys in a fixed order.
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

// The state after a step. `step` has the key `move`, `both`, `pass` or `chance`.
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

// Judges a text that is not in `legal`: the action that it means, or a refusal.
function judge(options, state, seat, text) {
  const heap = text.slice(0, 1);
  const count = text.slice(1);
  if (!Object.hasOwn(state.heaps, heap) || !/^[0-9]+$/.test(count)) {
    const refused = "write the name of a heap and a number, for example b2";
    return { refused, clause: "N1", malformed: true };
  }
  if (1 <= Number(count) && Number(count) <= state.heaps[heap]) {
    return { action: `${heap}${Number(count)}` }; // of "b02"
  }
  return { refused: `${count} sticks cannot be taken from heap ${heap}`, clause: "N1" };
}

function other(seat) {
  return SEATS[1 - SEATS.indexOf(seat)];
}

serve(GAME, { start, maxPlies, play, show, judge });
