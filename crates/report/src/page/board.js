// Draws boards and moves the pieces on them. It knows no rules: a replay contains the look of every
// position. A square is a text: its character, and, if there is more to show, the seat of its
// owner, the seat whose goal it is (each `0`, `1` or `-`), and a letter and a seat per piece.
"use strict";
const find = (id) => document.getElementById(id);
const SVG = ["svg", "rect", "circle", "text", "polyline", "line", "g", "title"];
const make = (tag, attributes = {}, ...children) => {
  const element = SVG.includes(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};
/** How long a piece takes to move, in milliseconds. */
const MOVE = 260;
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** The boards of a replay, frame by frame: the squares by rows, and the width. */
function boardsOf(replay) {
  let squares = [], width = 0;
  return replay.frames.map((frame) => {
    if (frame.board) { squares = frame.board.flat(); width = frame.board[0].length; }
    else { squares = squares.slice(); for (const [at, square] of frame.set ?? []) squares[at] = square; }
    return { squares, width };
  });
}

/** The pieces on a square, each as a letter and a seat. */
function piecesOf(square) {
  const parts = [...square].slice(3), found = [];
  while (parts.length > 1) found.push(parts.splice(0, 2).join(""));
  return found;
}

/** Whether a square belongs to a seat. */
const isOwned = (square) => /^.[01]/.test(square);

/** Whether the first seat has the dark pieces: the names of seats may be colours. */
const isReversed = (seats) => seats[0] === "black" || seats[1] === "white";

/** Whether a board shows a piece or a square of a seat. Some games only show other characters. */
const hasSeats = ({ squares }) => squares.some((square) => isOwned(square) || piecesOf(square).length > 0);

/** How many pieces each seat has; in games where squares have owners, how many squares. */
function countsOf({ squares }) {
  const owned = squares.some(isOwned);
  const seats = owned ? squares.map((square) => square[1]) : squares.flatMap(piecesOf).map((piece) => piece.at(-1));
  const noun = owned ? "square" : "piece";
  return [0, 1].map((seat) => {
    const count = seats.filter((of) => of === String(seat)).length;
    return `${count} ${noun}${count === 1 ? "" : "s"}`;
  });
}

/** The pieces that went from one square to another between two boards. */
function movesBetween(before, board, frame) {
  if (!before || frame.board || before.width !== board.width) return [];
  const gone = [], come = [];
  board.squares.forEach((square, at) => {
    if (square === before.squares[at]) return;
    const old = piecesOf(before.squares[at]), now = piecesOf(square);
    gone.push(...old.filter((piece) => !now.includes(piece)).map((piece) => ({ piece, at })));
    come.push(...now.filter((piece) => !old.includes(piece)).map((piece) => ({ piece, at })));
  });
  const distance = (one, other) => Math.hypot(one % board.width - other % board.width,
    Math.floor(one / board.width) - Math.floor(other / board.width));
  return come.flatMap(({ piece, at: to }) => {
    const from = gone.filter((other) => other.piece === piece)
      .sort((one, other) => distance(one.at, to) - distance(other.at, to))[0];
    if (!from) return [];
    gone.splice(gone.indexOf(from), 1);
    const path = (frame.paths ?? []).find(([seat, squares]) => String(seat) === piece.at(-1) && squares.at(-1) === to);
    return [{ piece, from: from.at, to, path: path?.[1] ?? [to] }];
  });
}

/** A board as a picture. `changed` and `named` are squares to mark, `moves` paths to show. */
function drawBoard(replay, { squares, width }, { changed = [], named = [], moves = [] } = {}) {
  const height = squares.length / width;
  const svg = make("svg", { viewBox: `-0.8 -0.8 ${width + 0.9} ${height + 0.9}`, role: "img",
    "aria-label": "The board" });
  svg.classList.toggle("tinted", squares.some(isOwned));
  svg.classList.toggle("reversed", isReversed(replay.seats));
  for (let column = 0; column < width; column++)
    svg.append(make("text", { class: "axis", x: column + 0.5, y: -0.25 }, String(column)));
  for (let row = 0; row < height; row++)
    svg.append(make("text", { class: "axis", x: -0.4, y: row + 0.62 }, String(row)));
  const spot = (at) => [at % width, Math.floor(at / width)];
  const pieces = make("g");
  squares.forEach((square, at) => {
    const [x, y] = spot(at), [symbol, owner = "-", goal = "-"] = square, here = piecesOf(square);
    const ground = owner !== "-" ? `own${owner}` : symbol === "#" ? "wall" : symbol === "X" ? "corner" : "";
    svg.append(make("rect", { class: `square ${ground}`, x, y, width: 1, height: 1, "data-at": at }));
    if (changed.includes(at)) svg.append(make("rect", { class: "changed", x, y, width: 1, height: 1 }));
    if (goal !== "-") svg.append(drawGoal(replay, x + 0.5, y + 0.5, goal));
    here.forEach((piece, n) => {
      // Pieces that share a square are drawn in two columns.
      const left = here.length === 1 ? 0.5 : 0.27 + 0.46 * (n % 2);
      const top = here.length <= 2 ? 0.5 : 0.27 + 0.46 * (n >> 1);
      const shape = drawPiece(x + left, y + top, here.length === 1 ? 1 : 0.6, piece);
      shape.dataset.piece = `${piece}@${at}`;
      pieces.append(shape);
    });
    if (!here.length && goal === "-" && !".#".includes(symbol))
      svg.append(make("text", { class: "glyph", x: x + 0.5, y: y + 0.67 }, symbol === "X" ? "×" : symbol));
  });
  for (const at of named) {
    const [x, y] = spot(at);
    svg.append(make("rect", { class: "named", x: x + 0.04, y: y + 0.04, width: 0.92, height: 0.92, rx: 0.08 }));
  }
  for (const { piece, from, path } of moves) {
    const points = [from, ...path].map(spot).map(([x, y]) => `${x + 0.5},${y + 0.5}`).join(" ");
    svg.append(make("polyline", { class: `path path${piece.at(-1)}`, points }));
  }
  svg.append(pieces);
  return svg;
}

/** A piece with this centre: a box if its letter is lower case, otherwise a disc. */
function drawPiece(x, y, scale, [letter, seat]) {
  const side = 0.6 * scale;
  return letter === letter.toLowerCase()
    ? make("rect", { class: `piece${seat}`, x: x - side / 2, y: y - side / 2, width: side, height: side, rx: 0.06 })
    : make("circle", { class: `piece${seat}`, cx: x, cy: y, r: 0.36 * scale });
}

/** The goal of a seat with this centre: a diamond that is visible behind a piece. */
function drawGoal(replay, x, y, seat) {
  return make("rect", { class: `goal piece${seat}`, x: x - 0.31, y: y - 0.31, width: 0.62, height: 0.62,
    transform: `rotate(45 ${x} ${y})` }, make("title", {}, `The goal of ${replay.seats[seat]}`));
}

/** A die that shows a number from 1 to 6. */
function drawDie(value) {
  const pips = { 1: [4], 2: [2, 6], 3: [2, 4, 6], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] }[value];
  return make("svg", { class: "die", viewBox: "0 0 4 4", role: "img", "aria-label": String(value) },
    make("rect", { x: 0.1, y: 0.1, width: 3.8, height: 3.8, rx: 0.7 }),
    ...pips.map((at) => make("circle", { cx: 1 + at % 3, cy: 1 + Math.floor(at / 3), r: 0.36 })));
}

/** Moves the pieces on a drawn board from where they were, and lets go what was taken. */
function animate(svg, before, board, moves) {
  if (still.matches || !before || before.width !== board.width) return;
  const spot = (at) => [at % board.width, Math.floor(at / board.width)];
  for (const { piece, from, to, path } of moves) {
    const shape = svg.querySelector(`[data-piece="${CSS.escape(`${piece}@${to}`)}"]`);
    const [x, y] = spot(to);
    const steps = [from, ...path].map(spot)
      .map(([left, top]) => ({ transform: `translate(${left - x}px, ${top - y}px)` }));
    shape?.animate(steps, { duration: MOVE, easing: "ease-in-out" });
  }
  const moved = (piece, at) => moves.some((move) => move.piece === piece && move.from === at);
  before.squares.forEach((square, at) => {
    if (square === board.squares[at]) return;
    const [x, y] = spot(at), now = piecesOf(board.squares[at]);
    const fade = (shape) => {
      svg.append(shape);
      shape.animate({ opacity: [1, 0] }, { duration: 2 * MOVE, easing: "ease-in" }).onfinish = () => shape.remove();
    };
    // Squares turn into walls when a board shrinks, and where a wall is built.
    if (board.squares[at][0] === "#" && square[0] !== "#")
      fade(make("rect", { class: "square", x, y, width: 1, height: 1 }));
    for (const piece of piecesOf(square))
      if (!now.includes(piece) && !moved(piece, at)) fade(drawPiece(x + 0.5, y + 0.5, 1, piece));
  });
}
