// The replay viewer: a dialog over the page, so that closing it leaves the page where it was.
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

/** The replay of a game; `undefined` if it is neither in the page nor beside it. */
async function replayOf(id) {
  if (!replays.has(id)) {
    try { await loadGame(id); } catch { /* It stays unknown. */ }
  }
  return replays.get(id);
}

/** Remarks with more characters than this are folded. */
const FOLDED = 300;

const viewer = {
  replay: null, boards: [], at: 0,
  /** The id of the game, also of one that is missing. */
  id: "",
  /** The buttons of the moves, by frame. */
  moves: [],
  /** The timer of a game that plays by itself. */
  timer: null,
  /** The address before the game was opened, and the games listed where it was opened. */
  before: "", list: [],

  /** Opens a game at a ply. Shows a message if its file is missing. */
  async open(id, ply) {
    if (!/^[0-9A-Za-z-]+$/.test(id)) return;
    const replay = await replayOf(id);
    this.reveal(id);
    if (!replay) return this.missing(id);
    if (this.replay !== replay) this.load(replay);
    else this.neighbours();
    const last = replay.frames.findLastIndex((frame) => frame.ply <= ply);
    this.show(Math.max(last, 0));
  },

  missing(id) {
    this.stop();
    [this.replay, this.id] = [null, id];
    for (const part of ["told", "caption", "said", "dice", "views", "shared"]) find(part).replaceChildren();
    find("vs").textContent = `Game ${id}`;
    find("end").textContent =
      "This game is not in this file, and the folder “games” beside it has no file for it.";
    this.whole(false);
    this.neighbours();
  },

  /** Whether there is a game before and after this one in the list. */
  neighbours() {
    const place = this.list.indexOf(this.id);
    find("previous").disabled = place < 1;
    find("next").disabled = place < 0 || place === this.list.length - 1;
  },

  /** Shows or hides everything that needs a replay. */
  whole(shown) {
    for (const part of document.querySelectorAll("#viewer .left, #clocks, #moves, #link, #picture, #film, #file")) part.hidden = !shown;
    // Nobody else can open an author's pages.
    if (location.pathname.startsWith("/author/")) find("link").hidden = true;
    // The clocks have the names, too.
    find("vs").classList.toggle("unseen", shown);
  },

  reveal(id) {
    const dialog = find("viewer");
    if (!dialog.open) {
      const links = document.activeElement?.closest("ol, tbody, article")?.querySelectorAll("a[href^='#game=']") ?? [];
      this.list = [...new Set([...links].map((link) => new URLSearchParams(link.hash.slice(1)).get("game")))];
      dialog.showModal();
      find("autoplay").focus();
    }
    if (!this.list.includes(id)) this.list = [...new Set([...replays.keys(), id])];
  },

  close() { if (find("viewer").open) find("viewer").close(); },

  /** Prepares a replay: computes its boards and lists its moves. */
  load(replay) {
    this.stop();
    [this.replay, this.id] = [replay, replay.id];
    this.boards = boardsOf(replay);
    this.whole(true);
    find("vs").replaceChildren(...versus(replay));
    const deal = replay.seats.length === 2 ? "pair" : "deal";
    find("end").replaceChildren(replay.end, make("small", {}, ` ${deal} ${replay.pair[0]}, game ${replay.pair[1]} · ${replay.id}`));
    this.listMoves();
    find("shared").textContent = "";
    this.neighbours();
    this.at = -1;
    this.strip();
  },

  /** Shows a frame, and stops playing. */
  step(at, keep = true) { this.stop(); this.show(at, keep); },

  /** Shows a frame. A step forward is animated. */
  show(at, keep = true) {
    if (!this.replay) return;
    at = Math.min(Math.max(at, 0), this.replay.frames.length - 1);
    const frame = this.replay.frames[at], board = this.boards[at], before = this.boards[at - 1];
    const moves = movesBetween(this.replay, before, board, frame);
    const svg = drawBoard(this.replay, board, { named: frame.named, moves: frame.paths?.length ? moves : [],
      changed: frame.board ? [] : (frame.set ?? []).map(([changed]) => changed) });
    find("board").replaceChildren(svg);
    if (at === this.at + 1 && !frame.board) animate(this.replay, svg, before, board, moves);
    this.at = at;
    find("at").textContent = `${frame.ply} / ${this.replay.frames.at(-1).ply}`;
    this.tell(frame);
    this.clocks();
    for (const item of find("moves").querySelectorAll("[aria-current]")) item.removeAttribute("aria-current");
    const items = this.moves[at] ?? [], list = find("moves");
    for (const item of items) item.setAttribute("aria-current", "step");
    list.scrollTop = items.length ? items[0].offsetTop - list.clientHeight / 2 : 0;
    find("cursor")?.setAttribute("x", at - 0.5);
    if (keep) {
      // Browsers refuse this if it happens too often; the next step tries again.
      try { history.replaceState(null, "", this.address()); } catch { /* refused */ }
    }
  },

  /** Lists the moves in a column for each seat. A fault has a line of its own. */
  listMoves() {
    this.moves = [];
    const list = find("moves");
    list.replaceChildren();
    const seats = this.replay.seats.length;
    list.style.setProperty("--seats", seats);
    // More columns would be too narrow on a phone.
    const isMany = seats > 4;
    list.classList.toggle("many", isMany);
    let row = null, filled = seats, number = 0;
    const open = () => {
      row = list.appendChild(make("li", {}, make("i", {}, String(++number))));
      filled = 0;
    };
    this.replay.frames.forEach((frame, at) => {
      const cell = (text, attributes = {}, sign = "") => {
        const item = make("span", attributes, sign && make("small", {}, `${sign} `), text);
        item.onclick = () => this.step(at);
        (this.moves[at] ??= []).push(item);
        return item;
      };
      if (frame.bad) {
        list.append(make("li", { class: "bad" }, make("i", {}, "✗"), cell(frame.told)));
        filled = seats;
      }
      for (const [seat, text] of frame.moves ?? []) {
        if (filled > seat) open();
        while (filled < seat) { row.append(make("span", { class: "none" })); filled++; }
        const [, better] = frame.turned?.find(([of]) => of === seat) ?? [];
        row.append(cell(text, better ? { class: "turned", title: better } : {}, isMany ? signOf(this.replay, seat) : ""));
        filled++;
      }
    });
  },

  /** The address of the ply that is shown. */
  address() { return `#game=${this.replay.id}&ply=${this.replay.frames[this.at].ply}`; },

  /** Describes a frame: what happened, dice, remarks, and what each seat sees. */
  tell(frame) {
    const { seats } = this.replay;
    find("told").textContent = frame.told || "Start";
    find("told").classList.toggle("bad", !!frame.bad);
    find("caption").textContent = frame.caption;
    find("dice").replaceChildren(...drawDice(this.replay, frame));
    find("said").replaceChildren(...(frame.turned ?? []).map(([seat, text]) => make("div", { class: "turned" }, `? ${seats[seat]}: ${text}`)), ...(frame.said ?? []).map((remark) => this.remark(seats, remark)));
    find("views").replaceChildren(...(frame.views ?? []).map((text, number) => make("section", {},
      make("b", {}, `What ${seats[number]} sees`), make("pre", { tabindex: 0 }, text))));
  },

  /** A remark on a move. A long one is folded after its beginning. */
  remark(seats, [seat, note, value]) {
    const start = `${seats[seat]}: `, end = value == null ? "" : ` ${value.toFixed(2)}`;
    const letters = [...note ?? ""];
    if (letters.length <= FOLDED) return make("div", {}, `${start}${note ? `“${note}”` : ""}${end}`);
    const beginning = letters.slice(0, FOLDED).join("");
    return make("details", { class: "long" },
      make("summary", {}, make("span", {}, `${start}“${beginning}…”${end}`)),
      make("div", {}, `“${note}”`));
  },

  /** Both clocks at this frame, and the counts if there are any. */
  clocks() {
    const counts = countsOf(this.replay, this.boards[this.at]);
    const clocks = clocksAt(this.replay, this.at);
    const parts = this.replay.seats.flatMap((seat, number) => {
      const { text, turn } = clocks[number];
      return [
        drawSeat(this.replay, number),
        make("span", { class: "who" }, make("b", nameClass(this.replay, number), make("bdi", {}, this.replay.players[number])),
          hasSeats(this.replay) ? ` ${seat} · ${counts[number]}` : ` ${seat}`),
        make("span", {}, text, make("small", {}, turn)),
      ];
    });
    find("clocks").replaceChildren(...parts);
  },

  /** Plays the game by itself, from the start if it is at its end; or stops it. */
  toggle() {
    if (this.timer) return this.stop();
    if (!this.replay) return;
    if (this.at === this.replay.frames.length - 1) this.show(0);
    find("autoplay").textContent = "Stop";
    const tick = () => {
      this.show(this.at + 1);
      if (this.at === this.replay.frames.length - 1) return this.stop();
      this.timer = setTimeout(tick, Number(find("speed").value));
    };
    this.timer = setTimeout(tick, Number(find("speed").value) / 2);
  },

  stop() {
    clearTimeout(this.timer);
    this.timer = null;
    find("autoplay").textContent = "Play";
  },

  /** Opens another game of the list, so many places further. */
  turn(by) {
    const id = this.list[this.list.indexOf(this.id) + by];
    if (id) this.open(id, 0);
  },

  /** The attributes that give a seat's bars and lines their colour: of more than two seats, that of its pieces. */
  colour(property, seat, colours) {
    return this.replay.seats.length > 2 ? { class: seatClass(this.replay, seat), style: `${property}:var(--piece)` }
      : { style: `${property}:${colours[seat]}` };
  },

  /** The times by ply, and the evaluations, if any. */
  strip() {
    const frames = this.replay.frames, count = frames.length;
    // The bars of all that were asked share the space of a ply.
    const turns = frames.flatMap((frame, at) => (frame.clock ?? []).map(([seat, ms], place, { length }) =>
      ({ seat, ms, x: at - 0.4 + place * 0.8 / length, width: 0.8 / length })));
    const most = Math.max(...turns.map(({ ms }) => ms), 0.001);
    const svg = make("svg", { viewBox: `-0.5 0 ${count} 100`, preserveAspectRatio: "none",
      role: "img", "aria-label": "Time used by ply" });
    svg.append(make("rect", { id: "cursor", x: -0.5, y: 0, width: 1, height: 100, fill: "var(--mark)" }));
    for (const { seat, ms, x, width } of turns) {
      const height = Math.max(100 * ms / most, 1);
      const told = make("title", {}, `${this.replay.seats[seat]}: ${time(ms)}`);
      svg.append(make("rect", { x, width, y: 100 - height, height, ...this.colour("fill", seat, TIME_COLOURS) }, told));
    }
    let evals = false;
    for (const seat of this.replay.seats.keys()) {
      const points = frames.flatMap((frame, at) => (frame.said ?? [])
        .filter(([of, , value]) => of === seat && value != null)
        .map(([, , value]) => `${at},${50 - 48 * value}`));
      if (points.length > 1) {
        evals = true;
        svg.append(make("polyline", { points: points.join(" "), "stroke-width": 2,
          "vector-effect": "non-scaling-stroke", ...this.colour("fill:none;stroke", seat, EVAL_COLOURS) }));
      }
    }
    // The clocks have the colours of many.
    const keys = (colours) => this.replay.seats.length > 4 ? [] : this.replay.seats.flatMap((name, seat) =>
      [make("i", this.colour("background", seat, colours)), this.replay.seats.length > 2 ? `${signOf(this.replay, seat)} ${name}` : name]);
    const lines = !evals ? [] : this.replay.seats.length > 2 ? [" · lines: evaluations, −1 to 1"]
      : [" · evaluations, −1 to 1:", ...keys(EVAL_COLOURS)];
    find("strip").replaceChildren(svg, !turns.length ? "" : make("figcaption", {}, `Time by ply, at most ${time(most)}${this.replay.seats.length > 4 ? "" : ":"}`,
      ...keys(TIME_COLOURS), ...lines));
    const point = (event) => {
      const box = svg.getBoundingClientRect();
      this.step(Math.floor((event.clientX - box.left) / box.width * count), event.type !== "pointermove");
    };
    svg.onpointerdown = (event) => { svg.setPointerCapture(event.pointerId); point(event); };
    svg.onpointermove = (event) => { if (event.buttons) point(event); };
  },
};

/** The colours of two seats: of their times, and of their evaluations. */
const TIME_COLOURS = ["var(--accent)", "var(--warm)"];
const EVAL_COLOURS = ["var(--series-2)", "var(--series-6)"];

/** The clock of each seat at a frame: the time left, or used without a budget, and that of the last turn. */
function clocksAt(replay, at) {
  return replay.seats.map((_, seat) => {
    const turns = replay.frames.slice(0, at + 1).flatMap(({ clock }) => (clock ?? []).filter(([of]) => of === seat));
    const used = turns.reduce((sum, [, ms]) => sum + ms, 0), [, last, left] = turns.at(-1) ?? [];
    return { text: left == null ? `${time(used)} used` : `${time(left)} left`, turn: last == null ? "" : ` (last ${time(last)})` };
  });
}

function time(ms) {
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(ms < 10000 ? 2 : 1)} s`;
}

find("viewer").addEventListener("close", () => {
  viewer.stop();
  viewer.replay = null;
  if (location.hash.startsWith("#game=")) history.replaceState(null, "", viewer.before || location.pathname + location.search);
});
find("viewer").addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || !viewer.replay) return;
  if (event.target.matches("select")) return;
  const last = viewer.replay.frames.length - 1;
  const to = { ArrowLeft: viewer.at - 1, ArrowRight: viewer.at + 1, PageUp: viewer.at - 10,
    PageDown: viewer.at + 10, Home: 0, End: last }[event.key];
  const act = { n: () => viewer.turn(1), p: () => viewer.turn(-1) }[event.key];
  if (to !== undefined) viewer.step(to);
  else if (act) act();
  else if (event.key === " " && !event.target.matches("button, summary")) viewer.toggle();
  else return;
  event.preventDefault();
});
for (const button of document.querySelectorAll("[data-step]")) {
  button.onclick = () => viewer.step({ first: 0, back: viewer.at - 1, on: viewer.at + 1,
    last: Infinity }[button.dataset.step]);
}
find("autoplay").onclick = () => viewer.toggle();
find("previous").onclick = () => viewer.turn(-1);
find("next").onclick = () => viewer.turn(1);
find("close").onclick = () => viewer.close();
