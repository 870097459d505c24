// `game.py` of this folder with the kit for JavaScript.
"use strict";

const { serveEngine } = require("./rules_program.js");

const SEATS = ["first", "second", "third"];
const GAME = {
  protocol: 1,
  name: "engine",
  title: "Engine",
  seats: SEATS,
  clauses: [
    {
      id: "E1",
      title: "Move",
      text: "Each seat takes one to three sticks, as long as there are any, in seat order.",
    },
  ],
};

class Sticks {
  static made = 0;

  constructor() {
    Sticks.made += 1;
    this.left = 20;
    this.taken = [0, 0, 0];
  }

  take(seat, wanted) {
    const count = Math.min(wanted, this.left);
    this.left -= count;
    this.taken[seat] += count;
  }
}

function play(options, sticks, step) {
  SEATS.forEach((name, seat) => sticks.take(seat, Number(step.together[name])));
}

function show(options, sticks) {
  const rows = ["|".repeat(sticks.left), ...process.argv.slice(2).map(() => String(Sticks.made))];
  if (sticks.left === 0) {
    return { turn: { over: { scores: sticks.taken } }, rows };
  }
  const legal = Object.fromEntries(SEATS.map((name) => [name, ["1", "2", "3"]]));
  return { turn: { together: SEATS }, legal, rows };
}

serveEngine(GAME, () => new Sticks(), { maxPlies: () => 10, play, show });
