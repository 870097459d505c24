// The view for a projector: it walks through the table and the boards by itself.

/** How long the table is shown, and each ply of a game, in milliseconds; and the most plies shown. */
const WALK = { table: 10_000, ply: 500, end: 4000, plies: 80 };

const projector = {
  timer: null,
  /** The number of games shown so far. */
  turn: 0,

  show() {
    document.body.classList.add("projected");
    find("projector").hidden = false;
    this.table();
  },

  hide() {
    clearTimeout(this.timer);
    document.body.classList.remove("projected");
    find("projector").hidden = true;
    find("projector").replaceChildren();
  },

  after(pause, next) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { if (!find("projector").hidden) next(); }, pause);
  },

  /** The first rows of the ranking: place, player, interval and score; the next time the rows after them. */
  table() {
    const table = document.querySelector("#ranking table.ranking"), size = 10;
    const headings = [...table?.querySelectorAll("thead th") ?? []].map((heading) => heading.textContent);
    const rows = [...table?.querySelectorAll("tbody:not(.unranked) tr:not(.line)") ?? []];
    const page = this.turn % Math.max(Math.ceil(rows.length / size), 1);
    const shown = rows.slice(page * size, (page + 1) * size).map((row, at) => {
      const columns = [headings.indexOf("#"), headings.indexOf("player"), row.cells.length - 1, headings.indexOf("score")];
      const cells = columns.map((column) => row.cells[column].cloneNode(true));
      cells[1].classList.add(`own-${page * size + at}`);
      return make("tr", {}, ...cells);
    });
    find("projector").replaceChildren(make("h1", {}, document.title),
      make("p", {}, document.querySelector("#summary .lead").textContent),
      make("table", { class: "ranking whole" }, make("tbody", {}, ...shown)));
    this.after(WALK.table, () => this.game());
  },

  /** Plays the end of a game: the newest one, then one of those in the page. */
  async game() {
    const { games } = await allGames();
    readReplays();
    const kept = [...replays.keys()];
    const id = this.turn % 2 && kept.length ? kept[this.turn % kept.length] : games.at(-1)?.[0];
    this.turn++;
    const replay = id && await replayOf(id);
    if (!replay) return this.after(0, () => this.table());
    const boards = boardsOf(replay), board = make("div", { class: "board" });
    const told = make("p");
    const title = make("h1", {}, ...versus(replay)), clocks = make("p");
    find("projector").replaceChildren(title, board, clocks, told);
    const step = (at) => {
      const frame = replay.frames[at], moves = movesBetween(replay, boards[at - 1], boards[at], frame);
      const svg = drawBoard(replay, boards[at], { named: frame.named, moves: frame.paths?.length ? moves : [] });
      board.replaceChildren(svg);
      animate(replay, svg, boards[at - 1], boards[at], moves);
      const isLast = at === replay.frames.length - 1;
      clocks.replaceChildren(...clocksAt(replay, at).flatMap(({ text }, seat) =>
        [seat ? " · " : "", make("span", { class: `name${seat}` }, text)]));
      told.textContent = isLast ? replay.end : `ply ${frame.ply} of ${replay.frames.at(-1).ply}`;
      this.after(isLast ? WALK.end : WALK.ply, isLast ? () => this.table() : () => step(at + 1));
    };
    step(Math.max(replay.frames.length - WALK.plies, 0));
  },
};
