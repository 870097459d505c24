// A player for @GAME@.
"use strict";

const readline = require("node:readline");

const pick = (list) => list[Math.floor(Math.random() * list.length)];

// The action to play. Begin here: `message` is the whole turn, its state and events too.
function choose(message) {
<<list>>
  return pick(message.legal);
<<factored>>
  const { directions, walls, squares } = message.legal;
  const left = [...squares];
  const chosen = [];
  for (let wall = 0; wall < walls; wall++) {
    chosen.push(...left.splice(Math.floor(Math.random() * left.length), 1));
  }
  return [pick(directions), pick(directions), ...chosen].join(" ");
<<end>>
}

const lines = readline.createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = JSON.parse(line);
  switch (message.type) {
    case "init":
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
