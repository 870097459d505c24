// Draws positions and moves the pieces on them. It knows no rules: a replay says how every position
// looks, and its `look` what each character on a square means.
"use strict";
const find = (id) => document.getElementById(id);
const SVG = ["svg", "rect", "circle", "text", "polyline", "polygon", "line", "g", "title"];
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
/** The colours that a seat may be called. */
const COLOURS = ["white", "black", "red", "blue", "green", "yellow", "orange", "purple"];
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** A drawing of the game's own, after its change: how much of it stays at the start and at the end, and what is between. */
const changedSvg = (old, change) => change ? old.slice(0, change[0]) + change[2] + old.slice(old.length - change[1]) : old;

/** A position of a frame by itself: a board, or lines of text, and the game's own drawing if it has one. */
const positionOf = ({ board, text, svg }) => ({ svg: changedSvg("", svg), ...board
  ? { squares: board.cells.flat(), width: board.cells[0].length, columns: board.columns ?? [], rows: board.rows ?? [] }
  : { squares: [], width: 0, columns: [], rows: [], text: text ?? [] } });

/** The positions of a replay, frame by frame. */
function boardsOf(replay) {
  let board = positionOf({});
  return replay.frames.map((frame) => {
    const svg = changedSvg(board.svg, frame.svg);
    if (frame.board || frame.text) board = positionOf(frame);
    else if (frame.set) {
      board = { ...board, squares: board.squares.slice() };
      for (const [at, square] of frame.set) board.squares[at] = square;
    }
    if (svg !== board.svg) board = { ...board, svg };
    return board;
  });
}

/** The meaning of a character on a square. */
const meaning = (game, symbol) => game.look?.legend[symbol] ?? {};
/** The pieces on a square, and its marks, each as a character of the legend. */
const piecesOf = (game, square) => [...square].filter((symbol) => !meaning(game, symbol).mark);
const marksOf = (game, square) => [...square].filter((symbol) => meaning(game, symbol).mark);
/** The number of the seat that a character belongs to; −1 if it belongs to none. */
const seatOf = (game, symbol) => game.seats.indexOf(meaning(game, symbol).seat);

/** The class that colours what belongs to a seat: by the colour it is called, or else by its number. */
const seatClass = (game, seat) => seat < 0 ? "nobody"
  : game.seats.every((name) => COLOURS.includes(name)) ? `seat-${game.seats[seat]}` : `seat-${seat}`;

/** The class of a name: in games of two, names have colours. */
const nameClass = ({ players }, seat) => players.length === 2 ? { class: `name${seat}` } : {};

/** The names of the players of a game, in the order of their seats. */
const versus = (game) => game.players.flatMap((name, seat) => [seat ? " – " : "", make("bdi", nameClass(game, seat), name)]);

/** What tells a seat of more than two apart without its colour: the characters of its pieces if they are few, or its number. */
function signOf(game, seat) {
  const own = Object.entries(game.look?.legend ?? {}).filter(([, { seat: of, mark }]) => of === game.seats[seat] && !mark);
  return own.length === 1 || own.length === 2 ? own.map(([symbol]) => symbol).join("") : String(seat + 1);
}

/** A sign with this centre. */
const drawSign = (text, x, y, size) => make("text", { class: "sign", x, y: y + 0.36 * size, "font-size": `${size}px` }, text);

/** The disc of a seat beside its name. */
const drawSeat = (game, seat) => game.seats.length === 2 ? make("span", { class: `disc ${seatClass(game, seat)}` })
  : make("svg", { class: "seat", viewBox: "-0.5 -0.5 1 1" }, make("circle", { class: `piece ${seatClass(game, seat)}`, r: 0.46 }),
    drawSign(signOf(game, seat), 0, 0, 0.62));

/** Whether the legend has anything of a seat, so that it can be counted. */
const hasSeats = (game) => Object.values(game.look?.legend ?? {}).some(({ seat }) => seat);

/** How many pieces each seat has; in games where squares have owners, how many squares. */
function countsOf(game, { squares }) {
  const owned = Object.values(game.look?.legend ?? {}).some(({ mark }) => mark === "owned");
  const counted = squares.flatMap((square) => owned
    ? marksOf(game, square).filter((symbol) => meaning(game, symbol).mark === "owned") : piecesOf(game, square));
  return game.seats.map((_, seat) => {
    const count = counted.filter((symbol) => seatOf(game, symbol) === seat).length;
    return `${count} ${owned ? "square" : "piece"}${count === 1 ? "" : "s"}`;
  });
}

/** What is in one list and not in the other, each as often as it is there more often. */
function surplus(list, other) {
  const rest = [...other];
  return list.filter((item) => {
    const at = rest.indexOf(item);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

/** The pieces that went from one square to another between two boards. */
function movesBetween(game, before, board, frame) {
  if (!before?.width || frame.board || before.width !== board.width) return [];
  const gone = [], come = [];
  board.squares.forEach((square, at) => {
    if (square === before.squares[at]) return;
    const old = piecesOf(game, before.squares[at]), now = piecesOf(game, square);
    gone.push(...surplus(old, now).map((piece) => ({ piece, at })));
    come.push(...surplus(now, old).map((piece) => ({ piece, at })));
  });
  const distance = (one, other) => Math.hypot(one % board.width - other % board.width,
    Math.floor(one / board.width) - Math.floor(other / board.width));
  return come.flatMap(({ piece, at: to }) => {
    const from = gone.filter((other) => other.piece === piece)
      .sort((one, other) => distance(one.at, to) - distance(other.at, to))[0];
    if (!from) return [];
    gone.splice(gone.indexOf(from), 1);
    const path = (frame.paths ?? []).find(([seat, squares]) => seat === seatOf(game, piece) && squares.at(-1) === to);
    return [{ piece, from: from.at, to, path: path?.[1] ?? [to] }];
  });
}

/** Where the upper left corner of a square is. */
const spotOn = (game, { width }) => (at) => {
  const row = Math.floor(at / width);
  return [at % width + (game.look?.hexagons ? row / 2 : 0), row];
};

/** Lines of plain text as a picture. */
function drawText(lines) {
  const width = Math.max(24, ...lines.map((line) => [...line].length)), height = Math.max(lines.length, 3) * 1.9;
  return make("svg", { class: "plain", viewBox: `-1 -0.6 ${width + 2} ${height + 1}`, role: "img", "aria-label": "The position" },
    ...lines.map((line, at) => make("text", { class: "line", x: 0, y: 1.3 + at * 1.9, "xml:space": "preserve" }, line)));
}

/** A game's own drawing. The referee wrote it anew from a short list of shapes. Its sides become 8 and what fits, as if it had squares. */
function drawSvg(text) {
  const inner = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
  const [, , width, height] = inner.getAttribute("viewBox").split(" ").map(Number);
  const size = { width: 8, height: 8 * height / width };
  for (const [name, value] of Object.entries(size)) inner.setAttribute(name, value);
  return make("svg", { viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": "The position" },
    make("rect", { ...size, fill: "#fffefa" }), inner);
}

/** A position as a picture. `changed` and `named` are squares to mark, `moves` paths to show. */
function drawBoard(game, board, { changed = [], named = [], moves = [] } = {}) {
  const { squares, width } = board;
  if (board.svg) return drawSvg(board.svg);
  if (!width) return drawText(board.text ?? []);
  const height = squares.length / width, spot = spotOn(game, board), { hexagons, checkered } = game.look ?? {};
  const svg = make("svg", { viewBox: `-0.8 -0.8 ${width + 0.9 + (hexagons ? (height - 1) / 2 : 0)} ${height + 0.9 + (hexagons ? 0.2 : 0)}`,
    role: "img", "aria-label": "The board" });
  for (let column = 0; column < width; column++)
    svg.append(make("text", { class: "axis", x: column + 0.5, y: hexagons ? -0.35 : -0.25 }, board.columns[column] ?? ""));
  for (let row = 0; row < height; row++)
    svg.append(make("text", { class: "axis", x: spot(row * width)[0] - 0.4, y: row + 0.62 }, board.rows[row] ?? ""));
  const cell = (at, attributes) => {
    const [x, y] = spot(at);
    if (!hexagons) return make("rect", { ...attributes, x, y, width: 1, height: 1 });
    const corners = [[0.5, -0.16], [1, 0.16], [1, 0.84], [0.5, 1.16], [0, 0.84], [0, 0.16]];
    return make("polygon", { ...attributes, points: corners.map(([right, down]) => `${x + right},${y + down}`).join(" ") });
  };
  const pieces = make("g");
  squares.forEach((square, at) => {
    const [x, y] = spot(at), here = piecesOf(game, square), marks = marksOf(game, square);
    const isDark = checkered && (at % width + Math.floor(at / width)) % 2;
    const ground = marks.map((mark) => meaning(game, mark).mark === "owned" ? `owned ${seatClass(game, seatOf(game, mark))}` : meaning(game, mark).mark);
    svg.append(cell(at, { class: ["square", isDark ? "dark" : "", ...ground.filter((mark) => mark !== "goal")].join(" "), "data-at": at }));
    if (changed.includes(at)) svg.append(cell(at, { class: "changed" }));
    for (const mark of marks) {
      if (meaning(game, mark).mark === "goal") svg.append(drawGoal(game, x + 0.5, y + 0.5, mark));
      else if (meaning(game, mark).glyph) svg.append(make("text", { class: "glyph", x: x + 0.5, y: y + 0.67 }, meaning(game, mark).glyph));
      if (game.seats.length > 2 && seatOf(game, mark) >= 0) svg.append(drawSign(mark, x + 0.5, y + 0.86, 0.26));
    }
    // Many equal pieces are one with their number; others that share a square stand in two columns.
    const isStack = here.length > 2 && here.every((piece) => piece === here[0]);
    const shown = isStack ? here.slice(0, 1) : here;
    shown.forEach((piece, n) => {
      const left = shown.length === 1 ? 0.5 : 0.27 + 0.46 * (n % 2);
      const top = shown.length <= 2 ? 0.5 : 0.27 + 0.46 * (n >> 1);
      const shape = drawPiece(game, x + left, y + top, shown.length === 1 ? 1 : 0.6, piece);
      shape.dataset.piece = `${piece}@${at}`;
      pieces.append(shape);
    });
    if (isStack) pieces.append(make("text", { class: "count", x: x + 0.84, y: y + 0.94 }, String(here.length)));
  });
  for (const at of named) svg.append(cell(at, { class: "named" }));
  for (const { piece, from, path } of moves) {
    const points = [from, ...path].map(spot).map(([x, y]) => `${x + 0.5},${y + 0.5}`).join(" ");
    svg.append(make("polyline", { class: `path path${seatOf(game, piece)}`, points }));
  }
  svg.append(pieces);
  return svg;
}

/** A piece with this centre; in a game of more than two, with its character: colours are too few, and not for all eyes. */
function drawPiece(game, x, y, scale, symbol) {
  const shape = drawShape(game, x, y, scale, symbol), isDisc = !meaning(game, symbol).glyph;
  if (game.seats.length === 2 || seatOf(game, symbol) < 0) return shape;
  const [away, size] = isDisc ? [0, 0.46] : [0.32 * scale, 0.32];
  return make("g", {}, shape, drawSign(symbol, x + away, y + away, size * scale));
}

/** The shape of a piece: its glyph, or else a disc; the letter of a piece of nobody. */
function drawShape(game, x, y, scale, symbol) {
  const { glyph, name } = meaning(game, symbol), seat = seatOf(game, symbol), side = 0.6 * scale;
  const colour = { class: `piece ${seatClass(game, seat)}` };
  const title = make("title", {}, [game.seats[seat], name].filter(Boolean).join(" "));
  if (glyph === "■") return make("rect", { ...colour, x: x - side / 2, y: y - side / 2, width: side, height: side, rx: 0.06 }, title);
  // The selector keeps browsers from drawing a coloured picture.
  const drawn = glyph || symbol;
  if (glyph || seat < 0) {
    // Several characters stay within the square.
    const size = scale * Math.min(0.84, 1.3 / [...drawn].length);
    return make("text", { class: `${colour.class} drawn`, x, y: y + 0.36 * size, "font-size": `${size}px` }, `${drawn}\uFE0E`, title);
  }
  return make("circle", { ...colour, cx: x, cy: y, r: 0.36 * scale }, title);
}

/** The goal of a seat with this centre: a diamond that is visible behind a piece. */
function drawGoal(game, x, y, mark) {
  return make("rect", { class: `goal piece ${seatClass(game, seatOf(game, mark))}`, x: x - 0.31, y: y - 0.31, width: 0.62, height: 0.62,
    transform: `rotate(45 ${x} ${y})` }, make("title", {}, meaning(game, mark).name));
}

/** A die that shows a number from 1 to 6. */
function drawDie(value) {
  const pips = { 1: [4], 2: [2, 6], 3: [2, 4, 6], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] }[value];
  return make("svg", { class: "die", viewBox: "0 0 4 4", role: "img", "aria-label": String(value) },
    make("rect", { x: 0.1, y: 0.1, width: 3.8, height: 3.8, rx: 0.7 }),
    ...pips.map((at) => make("circle", { cx: 1 + at % 3, cy: 1 + Math.floor(at / 3), r: 0.36 })));
}

/** The dice of a frame, each with its seat. */
const drawDice = (game, frame) => (frame.dice ?? []).map(([seat, value]) => make("span", {}, drawDie(value), ` ${game.seats[seat]}`));

/** Moves the pieces on a drawn board from where they were, and lets go what was taken. */
function animate(game, svg, before, board, moves) {
  if (still.matches || board.svg || !before?.width || before.width !== board.width) return;
  const spot = spotOn(game, board);
  for (const { piece, from, to, path } of moves) {
    const shape = svg.querySelector(`[data-piece="${CSS.escape(`${piece}@${to}`)}"]`);
    const [x, y] = spot(to);
    const steps = [from, ...path].map(spot)
      .map(([left, top]) => ({ transform: `translate(${left - x}px, ${top - y}px)` }));
    shape?.animate(steps, { duration: MOVE, easing: "ease-in-out" });
  }
  const moved = (piece, at) => moves.some((move) => move.piece === piece && move.from === at);
  const isRemoved = (square) => marksOf(game, square).some((mark) => meaning(game, mark).mark === "removed");
  before.squares.forEach((square, at) => {
    if (square === board.squares[at]) return;
    const [x, y] = spot(at);
    const fade = (shape) => {
      svg.append(shape);
      shape.animate({ opacity: [1, 0] }, { duration: 2 * MOVE, easing: "ease-in" }).onfinish = () => shape.remove();
    };
    // Squares turn into walls when a board shrinks, and where a wall is built.
    if (isRemoved(board.squares[at]) && !isRemoved(square)) fade(make("rect", { class: "square", x, y, width: 1, height: 1 }));
    for (const piece of surplus(piecesOf(game, square), piecesOf(game, board.squares[at])))
      if (!moved(piece, at)) fade(drawPiece(game, x + 0.5, y + 0.5, 1, piece));
  });
}
