// Plays a game: shows the board that the referee sends, and sends back what the person chooses. It
// knows no rules: the referee lists the legal actions.

/** The game as the referee sent it last, and its board. */
let game = null, board = null;
/** The squares that the person has chosen for the next action, by number. */
let chosen = [];

/** Answers the question of the referee. */
async function say(text) {
  if (!game?.asked) return;
  const { number } = game.asked;
  game.asked = null;
  // Nothing can be clicked until the next question.
  find("question").inert = true;
  await fetch(`say/${number}`, { method: "POST", body: text });
}

/** The numbers of the legal actions that begin with the squares chosen so far. */
function possible() {
  const { legal, squares } = game.asked;
  return Array.isArray(legal)
    ? [...legal.keys()].filter((action) => chosen.every((square, at) => squares[action]?.[at]?.includes(square))) : [];
}

/** A square that the referee names by its column and row, as a number. */
function numberOf(name) {
  const [column, row] = name.split(",").map(Number);
  return row * board.width + column;
}

const nameOf = (square) => `${square % board.width},${Math.floor(square / board.width)}`;

/** Shows a game that the referee sent. */
function receive(sent) {
  const frame = sent.frame, before = board;
  board = positionOf(frame);
  // A board can be clicked, and a drawing cannot.
  if (board.width) board.svg = "";
  // A frame with the whole board is compared with the board before it, unless its shape is another.
  const comparable = { ...frame, board: null };
  const moves = before?.squares.length === board.squares.length ? movesBetween(sent, before, board, comparable) : [];
  const isNew = game?.frame.ply !== frame.ply;
  game = sent;
  chosen = [];
  draw();
  if (isNew && moves.length) animate(game, find("board").firstElementChild, before, board, moves);
  find("caption").textContent = frame.caption;
  find("end").textContent = sent.end ?? "";
  tellPlayers();
  tellStory();
  ask();
}

/** Whether there is something to draw. */
const hasBoard = () => board.squares.length > 0 || board.svg || board.text?.length > 0;

/** The board, with the squares that can be chosen next. */
function draw() {
  // Of a game with hidden information there is no board, only what the person sees of it.
  document.body.classList.toggle("boardless", !hasBoard());
  const svg = drawBoard(game, board, { named: game.frame.named });
  const next = new Set(choices());
  for (const square of svg.querySelectorAll(".square")) {
    const at = Number(square.dataset.at);
    if (chosen.includes(at)) square.classList.add("chosen");
    else if (next.has(at)) square.classList.add("choice");
  }
  svg.onclick = ({ clientX, clientY }) => {
    // Pieces and marks lie above their squares.
    const square = document.elementsFromPoint(clientX, clientY).find((shape) => shape.matches("#board .square"));
    if (square) choose(Number(square.dataset.at));
  };
  find("board").replaceChildren(svg);
}

/** The squares that the person can choose next. */
function choices() {
  if (!game.asked) return [];
  const { legal, squares } = game.asked;
  if (legal.squares) return chosen.length < legal.walls ? legal.squares.map(numberOf) : [];
  return possible().flatMap((action) => squares[action]?.[chosen.length] ?? []);
}

/** Chooses a square of the board, or starts again with it. */
function choose(square) {
  if (!game.asked) return;
  if (chosen.includes(square)) chosen = chosen.filter((other) => other !== square);
  else if (choices().includes(square)) chosen.push(square);
  else {
    chosen = [];
    if (choices().includes(square)) chosen.push(square);
  }
  const found = possible();
  const { legal, squares } = game.asked;
  if (chosen.length && found.length === 1 && squares[found[0]].length === chosen.length) return say(legal[found[0]]);
  draw();
  ask();
}

/** Both players, with the number of their pieces if the board has any. */
function tellPlayers() {
  const counts = countsOf(game, board), { asked } = game;
  find("clocks").replaceChildren(...game.seats.flatMap((seat, number) => [
    drawSeat(game, number),
    make("span", { class: "who" }, make("b", {}, make("bdi", {}, game.players[number])), hasSeats(game) ? ` ${seat} · ${counts[number]}` : ` ${seat}`),
    make("span", {}, asked?.seat === number ? "to move" : ""),
  ]));
}

/** What happened, the newest last, and the dice of this turn. */
function tellStory() {
  const { story, told, frame, sees } = game;
  find("moves").replaceChildren(...story.map(([ply, text]) => make("li", {}, make("i", {}, String(ply)), text)));
  find("moves").scrollTop = find("moves").scrollHeight;
  find("told").textContent = told || frame.told;
  find("sees").textContent = sees;
  find("sees").hidden = !sees;
  find("dice").replaceChildren(...drawDice(game, frame));
}

/** The question, and the actions as buttons. */
function ask() {
  const { asked } = game;
  find("question").hidden = !asked;
  find("question").inert = !asked;
  if (!asked) return;
  find("asked").textContent = asked.text;
  const { legal } = asked;
  find("how").textContent = legal.squares ? `Choose the directions, and ${legal.walls === 1 ? "a square" : `${legal.walls} squares`} on the board.`
    : !Array.isArray(legal) ? "Type your action."
    : board.squares.length ? "Click on the board, or on an action." : "Choose an action.";
  find("actions").replaceChildren(...(legal.squares ? factors(legal)
    : possible().map((action) => button(legal[action], () => say(legal[action])))));
}

function button(text, act) {
  const made = make("button", { type: "button" }, text);
  made.onclick = act;
  return made;
}

/** The directions of the last action, which are offered again. */
let directions = [];

/** The parts of an action that is put together from directions and squares. */
function factors(legal) {
  const selects = ["Circle", "Square"].map((piece, at) => {
    const select = make("select", {}, ...legal.directions.map((way) => make("option", {}, way)));
    if (directions[at]) select.value = directions[at];
    select.onchange = () => { directions[at] = select.value; };
    directions[at] = select.value;
    return make("label", {}, `${piece} `, select);
  });
  const play = button("Play", () => say([...directions, ...chosen.map(nameOf)].join(" ")));
  play.disabled = chosen.length !== legal.walls;
  return [...selects, make("span", {}, chosen.map(nameOf).join(" ")), play];
}

for (const other of document.querySelectorAll("[data-say]")) other.onclick = () => say(other.dataset.say);
find("typing").onsubmit = (event) => {
  event.preventDefault();
  const text = find("typed").value.trim();
  find("typed").value = "";
  if (text) say(text);
};
const events = new EventSource("/events");
events.onmessage = ({ data }) => receive(JSON.parse(data));
events.onerror = () => {
  if (game?.end) events.close();
  else find("end").textContent = "The referee is not responding. Is it still running?";
};
