// A player for @GAME@.
"use strict";

const readline = require("node:readline");

// Numbers from 0 to 1; the same seed gives the same ones (mulberry32).
function generator(seed) {
  let state = seed % 2 ** 32;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

let random = Math.random;
const below = (limit) => Math.floor(random() * limit);
const pick = (list) => list[below(list.length)];

// Chooses the action. Start here: `message` is the whole turn, with its state and events.
function choose(message) {
<<rows>>
  // The position is in message.state: message.state["@ROWS@"][row][column] is a square.
<<end>>
<<list>>
  return pick(message.legal);
<<factored>>
  const { directions, walls, squares } = message.legal;
  const left = [...squares];
  const chosen = [];
  for (let wall = 0; wall < walls; wall++) {
    chosen.push(...left.splice(below(left.length), 1));
  }
  return [pick(directions), pick(directions), ...chosen].join(" ");
<<end>>
}

const lines = readline.createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = JSON.parse(line);
  switch (message.type) {
    case "init":
      if (message.game !== "@GAME@") {
        console.log(JSON.stringify({ id: message.id, error: "@REFUSAL@" }));
        break;
      }
      random = generator(message.seed);
      console.log(JSON.stringify({ id: message.id, name: "@NAME@" }));
      break;
    case "turn":
      console.log(JSON.stringify({ id: message.id, action: choose(message) }));
      break;
    case "quit":
      lines.close();
      break;
    // `error` and `end` ask for no reply.
  }
});
