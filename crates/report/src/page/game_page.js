// Plays a game: shows the board that the referee sends, and sends back what the person chooses. It
// knows no rules: the referee lists the legal actions.

/** The game as the referee sent it last, and its board. */
let game = null, board = null;
/** Whether a board has shown whose pieces it has. */
let counted = false;
/** The squares that the person has chosen for the next action, each as `column,row`. */
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

/** The squares in an action, in their order. */
const squaresOf = (action) => action.match(/\d+,\d+/g) ?? [];

/** The actions that begin with the squares chosen so far. */
function possible() {
  const { legal } = game.asked;
  return Array.isArray(legal)
    ? legal.filter((action) => chosen.every((square, at) => squaresOf(action)[at] === square)) : [];
}

/** Shows a game that the referee sent. */
function receive(sent) {
  const frame = sent.frame, before = board;
  const width = frame.board?.[0]?.length ?? 0;
  board = { squares: (frame.board ?? []).flat(), width };
  counted ||= hasSeats(board);
  // A frame with the whole board is compared with the board before it, unless its shape is another.
  const comparable = { ...frame, board: null };
  const moves = before?.squares.length === board.squares.length ? movesBetween(before, board, comparable) : [];
  const isNew = game?.frame.ply !== frame.ply;
  game = sent;
  chosen = [];
  draw();
  if (isNew && moves.length) animate(find("board").firstElementChild, before, board, moves);
  find("caption").textContent = frame.caption;
  find("end").textContent = sent.end ?? "";
  tellPlayers();
  tellStory();
  ask();
}

/** The board, with the squares that can be chosen next. */
function draw() {
  if (!board.width) return find("board").replaceChildren();
  const svg = drawBoard(game, board, { named: game.frame.named });
  const next = new Set(choices());
  for (const square of svg.querySelectorAll(".square")) {
    const at = Number(square.dataset.at), name = `${at % board.width},${Math.floor(at / board.width)}`;
    if (chosen.includes(name)) square.classList.add("chosen");
    else if (next.has(name)) square.classList.add("choice");
  }
  svg.onclick = ({ clientX, clientY }) => {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
    choose(`${Math.floor(x)},${Math.floor(y)}`);
  };
  find("board").replaceChildren(svg);
}

/** The squares that the person can choose next. */
function choices() {
  if (!game.asked) return [];
  const { legal } = game.asked;
  if (legal.squares) return chosen.length < legal.walls ? legal.squares : [];
  return possible().map((action) => squaresOf(action)[chosen.length]).filter((square) => square);
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
  if (chosen.length && found.length === 1 && squaresOf(found[0]).length === chosen.length) return say(found[0]);
  draw();
  ask();
}

/** Both players, with the number of their pieces if the boards show them. */
function tellPlayers() {
  // Where squares have owners, pieces have their colours.
  document.body.classList.toggle("tinted", board.squares.some(isOwned));
  document.body.classList.toggle("reversed", isReversed(game.seats));
  const counts = countsOf(board), { asked } = game;
  find("clocks").replaceChildren(...game.seats.flatMap((seat, number) => [
    make("span", { class: `disc piece${number}` }),
    make("span", { class: "who" }, make("b", {}, make("bdi", {}, game.players[number])), counted ? ` ${seat} · ${counts[number]}` : ` ${seat}`),
    make("span", {}, asked?.seat === number ? "on turn" : ""),
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
  const last = story.at(-1)?.[1] ?? "", roll = /(?:^|; )(\S+) rolls ([1-6])$/.exec(last);
  find("dice").replaceChildren(...(roll ? [make("span", {}, drawDie(Number(roll[2])), ` ${roll[1]}`)] : []));
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
    : Array.isArray(legal) ? "Click on the board, or on an action." : "Type your action.";
  find("actions").replaceChildren(...(legal.squares ? factors(legal)
    : possible().map((action) => button(action, () => say(action)))));
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
  const play = button("Play", () => say([...directions, ...chosen].join(" ")));
  play.disabled = chosen.length !== legal.walls;
  return [...selects, make("span", {}, chosen.join(" ")), play];
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
  else find("end").textContent = "The referee does not answer. Is it still running?";
};
