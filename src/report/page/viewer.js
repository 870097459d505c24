// The replay viewer. It does not know the rules: a replay contains the look of every position.
"use strict";
const find = (id) => document.getElementById(id);
const make = (tag, attributes = {}, ...children) => {
  const svg = ["svg", "rect", "circle", "text", "polyline", "line", "g", "title"].includes(tag);
  const element = svg
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

const replays = new Map();
/** Receives a replay. The files beside the page call it. */
function refereeGame(replay) { replays.set(replay.id, replay); }

/** Loads a script beside the page. */
function beside(source) {
  return new Promise((resolve, reject) => {
    const script = make("script", { src: source });
    script.onload = () => { script.remove(); resolve(); };
    script.onerror = () => { script.remove(); reject(new Error(source)); };
    document.head.append(script);
  });
}

const viewer = {
  replay: null, boards: [], at: 0,
  /** The reading position before the game was opened, to return to. */
  place: { opener: null, top: 0, scroll: 0 },

  /** Opens a game at a ply. Shows a message if its file is missing. */
  async open(id, ply) {
    if (!/^[0-9A-Za-z-]+$/.test(id)) return;
    if (!replays.has(id)) {
      try { await loadGame(id); } catch { return this.missing(id); }
    }
    const replay = replays.get(id);
    if (!replay) return this.missing(id);
    if (this.replay !== replay) this.load(replay);
    const last = replay.frames.findLastIndex((frame) => frame.ply <= ply);
    this.reveal();
    this.show(Math.max(last, 0));
  },

  missing(id) {
    this.replay = null;
    find("vs").textContent = `Game ${id}`;
    find("end").textContent =
      "This game is not in this file, and the folder “games” beside it has no file for it.";
    for (const part of document.querySelectorAll("#viewer .stage, #strip")) part.hidden = true;
    this.reveal();
  },

  reveal() {
    const section = find("viewer"), opener = document.activeElement;
    if (!section.hidden && section.contains(opener)) return;
    this.place = { opener, top: opener.getBoundingClientRect().top, scroll: window.scrollY };
    section.hidden = false;
    section.focus({ preventScroll: true });
    section.scrollIntoView({ block: "start" });
  },

  /** Closes the viewer and restores the reading position. */
  close() {
    const section = find("viewer");
    if (section.hidden) return;
    section.hidden = true;
    this.replay = null;
    history.replaceState(null, "", location.pathname + location.search);
    const { opener, top, scroll } = this.place;
    if (opener?.isConnected && opener !== document.body) {
      opener.focus({ preventScroll: true });
      window.scrollBy(0, opener.getBoundingClientRect().top - top);
    } else {
      window.scrollTo(0, scroll);
    }
  },

  /** Prepares a replay: computes its boards and lists its moves. */
  load(replay) {
    this.replay = replay;
    let board = [], width = 0;
    this.boards = replay.frames.map((frame) => {
      if (frame.board) { board = frame.board.flat(); width = frame.board[0].length; }
      else { board = board.slice(); for (const [at, square] of frame.set ?? []) board[at] = square; }
      return { board, width };
    });
    for (const part of document.querySelectorAll("#viewer .stage, #strip")) part.hidden = false;
    const tinted = this.boards.some(({ board }) => board.some((square) => /^.[01]/.test(square)));
    find("viewer").classList.toggle("tinted", tinted);
    find("vs").textContent = replay.players.join(" – ");
    find("end").textContent = `${replay.end} · pair ${replay.pair[0]}, game ${replay.pair[1]} · ${replay.id}`;
    find("slider").max = replay.frames.length - 1;
    find("moves").replaceChildren(...replay.frames.map((frame, at) => {
      const text = at === 0 ? "start" : frame.told;
      const item = make("li", {}, make("i", {}, frame.bad ? "✗" : String(frame.ply)), text);
      if (frame.bad) item.classList.add("bad");
      item.onclick = () => this.show(at, true);
      return item;
    }));
    this.at = -1;
    this.strip();
  },

  /** Shows a frame. */
  show(at, keep = true) {
    if (!this.replay) return;
    at = Math.min(Math.max(at, 0), this.replay.frames.length - 1);
    const frame = this.replay.frames[at];
    this.at = at;
    find("board").replaceChildren(drawBoard(this.boards[at], frame));
    find("slider").value = at;
    find("at").textContent = `ply ${frame.ply} of ${this.replay.frames.at(-1).ply}`;
    find("told").textContent = frame.told || "The start";
    find("told").classList.toggle("bad", !!frame.bad);
    find("caption").textContent = frame.caption;
    find("said").replaceChildren(...(frame.said ?? []).map(([seat, note, value]) => make("div", {},
      `${this.replay.seats[seat]}: ${note ? `“${note}”` : ""}${value == null ? "" : ` ${value.toFixed(2)}`}`)));
    find("views").replaceChildren(...(frame.views ?? []).map((text, number) => make("section", {},
      make("b", {}, `What ${this.replay.seats[number]} sees`), make("pre", {}, text))));
    this.clocks();
    for (const item of find("moves").querySelectorAll("[aria-current]")) item.removeAttribute("aria-current");
    const item = find("moves").children[at];
    item.setAttribute("aria-current", "step");
    const list = find("moves");
    list.scrollTop = item.offsetTop - list.clientHeight / 2;
    find("cursor")?.setAttribute("x", at - 0.5);
    if (keep) {
      const address = `#game=${this.replay.id}&ply=${frame.ply}`;
      // Browsers refuse this if it happens too often; the next step tries again.
      try { history.replaceState(null, "", address); } catch { /* refused */ }
    }
  },

  /** Both clocks at this frame. */
  clocks() {
    const parts = this.replay.seats.flatMap((seat, number) => {
      let used = 0, left = null, last = null;
      for (const frame of this.replay.frames.slice(0, this.at + 1)) {
        for (const [of, ms, rest] of frame.clock ?? []) {
          if (of === number) { used += ms; left = rest; last = ms; }
        }
      }
      const text = left == null ? `${time(used)} used` : `${time(left)} left`;
      const turn = last == null ? "" : ` (last ${time(last)})`;
      return [
        make("span", { class: `disc piece${number}` }),
        make("span", { class: "who" }, make("b", {}, make("bdi", {}, this.replay.players[number])), ` ${seat}`),
        make("span", {}, text, make("small", {}, turn)),
      ];
    });
    find("clocks").replaceChildren(...parts);
  },

  /** The times by ply, and the evaluations, if any. */
  strip() {
    const frames = this.replay.frames, count = frames.length;
    // If both were asked, each bar takes half of the space.
    const turns = frames.flatMap((frame, at) => (frame.clock ?? []).map(([seat, ms]) =>
      ({ seat, ms, x: frame.clock.length > 1 ? at - 0.4 + seat * 0.4 : at - 0.4,
        width: frame.clock.length > 1 ? 0.4 : 0.8 })));
    const most = Math.max(...turns.map(({ ms }) => ms), 0.001);
    const svg = make("svg", { viewBox: `-0.5 0 ${count} 100`, preserveAspectRatio: "none",
      role: "img", "aria-label": "Time used by ply" });
    svg.append(make("rect", { id: "cursor", x: -0.5, y: 0, width: 1, height: 100, fill: "var(--mark)" }));
    for (const { seat, ms, x, width } of turns) {
      const height = Math.max(100 * ms / most, 1);
      svg.append(make("rect", { x, width, y: 100 - height, height,
        fill: seat ? "var(--warm)" : "var(--accent)" }));
    }
    let evals = false;
    for (const seat of [0, 1]) {
      const points = frames.flatMap((frame, at) => (frame.said ?? [])
        .filter(([of, , value]) => of === seat && value != null)
        .map(([, , value]) => `${at},${50 - 48 * value}`));
      if (points.length > 1) {
        evals = true;
        svg.append(make("polyline", { points: points.join(" "), fill: "none", "stroke-width": 2,
          "vector-effect": "non-scaling-stroke", stroke: seat ? "var(--series-6)" : "var(--series-2)" }));
      }
    }
    const key = (colour, text) => [make("i", { style: `background:${colour}` }), text];
    const [one, other] = this.replay.seats;
    find("strip").replaceChildren(svg, make("figcaption", {}, `Time by ply, at most ${time(most)}:`,
      ...key("var(--accent)", one), ...key("var(--warm)", other),
      ...(evals ? [" · evaluations, −1 to 1:", ...key("var(--series-2)", one), ...key("var(--series-6)", other)] : [])));
    svg.onclick = (event) => {
      const box = svg.getBoundingClientRect();
      this.show(Math.floor((event.clientX - box.left) / box.width * count));
    };
  },
};

function time(ms) {
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(ms < 10000 ? 2 : 1)} s`;
}

function drawBoard({ board, width }, frame) {
  const height = board.length / width;
  const svg = make("svg", { viewBox: `-0.7 -0.7 ${width + 0.8} ${height + 0.8}`, role: "img",
    "aria-label": "The board" });
  const spot = (at) => [at % width, Math.floor(at / width)];
  for (let column = 0; column < width; column++)
    svg.append(make("text", { class: "axis", x: column + 0.5, y: -0.2 }, String(column)));
  for (let row = 0; row < height; row++)
    svg.append(make("text", { class: "axis", x: -0.35, y: row + 0.62 }, String(row)));
  board.forEach((square, at) => {
    const [x, y] = spot(at), [symbol, owner = "-", goal = "-", ...pieces] = square;
    const ground = owner !== "-" ? `own${owner}` : symbol === "#" ? "wall" : symbol === "X" ? "corner" : "";
    svg.append(make("rect", { class: `square ${ground}`, x, y, width: 1, height: 1 }));
    if (!frame.board && (frame.set ?? []).some(([changed]) => changed === at))
      svg.append(make("rect", { class: "changed", x, y, width: 1, height: 1 }));
    if (goal !== "-") svg.append(drawGoal(x + 0.5, y + 0.5, goal));
    const count = pieces.length / 2;
    for (let n = 0; n < count; n++) {
      // Pieces that share a square are drawn in two columns.
      const left = count === 1 ? 0.5 : 0.27 + 0.46 * (n % 2);
      const top = count <= 2 ? 0.5 : 0.27 + 0.46 * (n >> 1);
      svg.append(drawPiece(x + left, y + top, count === 1 ? 1 : 0.6, pieces[2 * n], pieces[2 * n + 1]));
    }
    if (!count && goal === "-" && !".#".includes(symbol)) {
      svg.append(make("text", { class: "glyph", x: x + 0.5, y: y + 0.67 }, symbol === "X" ? "×" : symbol));
    }
  });
  for (const at of frame.named ?? []) {
    const [x, y] = spot(at);
    svg.append(make("rect", { class: "named", x: x + 0.04, y: y + 0.04, width: 0.92, height: 0.92, rx: 0.08 }));
  }
  return svg;
}

/** A piece with this centre: a box if its letter is lower case, otherwise a disc. */
function drawPiece(x, y, scale, letter, seat) {
  const side = 0.6 * scale, box = letter === letter.toLowerCase();
  return box
    ? make("rect", { class: `piece${seat}`, x: x - side / 2, y: y - side / 2, width: side, height: side, rx: 0.06 })
    : make("circle", { class: `piece${seat}`, cx: x, cy: y, r: 0.36 * scale });
}

/** The goal of a seat with this centre: a diamond that is visible behind a piece. */
function drawGoal(x, y, seat) {
  return make("rect", { class: `goal piece${seat}`, x: x - 0.31, y: y - 0.31, width: 0.62, height: 0.62,
    transform: `rotate(45 ${x} ${y})` }, make("title", {}, `The goal of ${viewer.replay.seats[seat]}`));
}

/** Opens the game that the address names. Closes the viewer if it names none. */
function follow() {
  const named = new URLSearchParams(location.hash.slice(1));
  if (named.has("game")) viewer.open(named.get("game"), Number(named.get("ply") ?? 0));
  else if (!location.hash) viewer.close();
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.defaultPrevented) viewer.close();
});

find("viewer").addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || !viewer.replay) return;
  const last = viewer.replay.frames.length - 1;
  const to = { ArrowLeft: viewer.at - 1, ArrowRight: viewer.at + 1, PageUp: viewer.at - 10,
    PageDown: viewer.at + 10, Home: 0, End: last }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  viewer.show(to);
});
for (const button of document.querySelectorAll("[data-step]")) {
  button.onclick = () => viewer.show({ first: 0, back: viewer.at - 1, on: viewer.at + 1,
    last: Infinity }[button.dataset.step]);
}
find("slider").oninput = (event) => viewer.show(Number(event.target.value), false);
find("slider").onchange = (event) => viewer.show(Number(event.target.value));
find("close").onclick = () => viewer.close();
