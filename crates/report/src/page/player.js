// The page of a player: its rank, scores, opponents, faults, clock, progress and games. It is made
// from the data of the page, and shown in place of the sections.

const percent = (part, whole) => whole ? `${(100 * part / whole).toFixed(1)}%` : "–";
/** The number of games of a score, and its points. */
const gamesOf = ([wins, draws, losses]) => wins + draws + losses;
const pointsOf = ([wins, draws]) => wins + draws / 2;

const cell = (text, kind = "n") => make("td", { class: kind }, String(text));
const heading = (text, kind = "n") => make("th", { class: kind, scope: "col" }, text);
// A narrow page has no room for the numbers that follow from others.
const scoreCells = (score) => [cell(gamesOf(score), "n wide"), ...score.map((part) => cell(part)),
  cell(pointsOf(score), "n wide"), cell(percent(pointsOf(score), gamesOf(score)))];
// With more than two seats, a game has an outcome against each of the others.
const scoreHeadings = () => [heading(data.seats ? "Compared" : "Games", "n wide"),
  ...(data.seats ? ["Ahead", "Level", "Behind"] : ["W", "D", "L"]).map((text) => heading(text)),
  heading("Score", "n wide"), heading("%")];

/** A table with a name for those who cannot see it, which scrolls if it is too wide. */
function tableOf(label, headings, rows) {
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
    make("table", {}, make("thead", {}, make("tr", {}, ...headings)), make("tbody", {}, ...rows)));
}

/** The address of a player's page. */
const addressOf = (name) => `#player=${encodeURIComponent(name)}`;
const playerLink = (number) => make("a", { href: addressOf(data.names[number]) }, make("bdi", {}, data.names[number]));

/** The opponents of a player and its scores against them, in ranking order. */
function opponentsOf(number) {
  const scores = new Map();
  for (const [one, other, score] of data.pairs) {
    if (one === number) scores.set(other, score);
    if (other === number) scores.set(one, [score[2], score[1], score[0]]);
  }
  return data.order.filter((other) => scores.has(other)).map((other) => [other, scores.get(other)]);
}

function standing(number) {
  const { place, ranks, rating } = data.players[number];
  const ranked = data.players.filter((player) => player.place).length;
  const rank = place
    ? [make("strong", {}, `Rank ${place} of ${ranked}`), `; with 95% confidence between ${ranks.replace("–", " and ")}.`]
    : [`Without a rank: ${ranks}.`];
  return make("p", {}, ...rank, ...(rating ? [" Rating ", make("strong", {}, rating), " Elo."] : []));
}

/** The rating after some numbers of games, as a line. */
function progress(number) {
  const points = data.history.map(({ games, ratings }) => [games, ratings[number]]).filter(([, rating]) => rating != null);
  if (points.length < 2 || !data.players[number].rating) return [];
  const ratings = points.map(([, rating]) => rating), games = points.map(([count]) => count);
  const low = Math.min(...ratings), high = Math.max(...ratings), first = games[0], last = games.at(-1);
  const across = (count) => 100 * (count - first) / (last - first);
  const up = (rating) => high === low ? 20 : 38 - 36 * (rating - low) / (high - low);
  const line = points.map(([count, rating]) => `${across(count)},${up(rating)}`).join(" ");
  const svg = make("svg", { class: "progress", viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img",
    "aria-label": "Rating over time" }, make("polyline", { points: line }));
  const caption = `Elo after games ${first} to ${last}: from ${ratings[0]} to ${ratings.at(-1)}, between ${low} and ${high}.`;
  return [make("h2", {}, "Progress"), make("figure", {}, svg, make("figcaption", {}, caption))];
}

function clockOf(number) {
  const clock = data.players[number].clock;
  if (!clock) return [];
  const [turns, [median, most, longest]] = clock;
  return [make("h2", {}, "Clock"), make("p", {},
    `${turns} turns. Half of them took ${median} or less, 95% took ${most} or less, and the longest took ${longest}.`)];
}

function searchesOf(number) {
  const { searches } = data.players[number];
  if (!searches.length) return [];
  return [make("p", {}, `Its searches, on average: ${searches.map(([name, value]) => `${name} ${value}`).join(", ")}.`)];
}

function faultsOf(number) {
  const { faults } = data.players[number], name = data.names[number];
  if (!faults.length) return [make("p", {}, "It committed no faults.")];
  const shown = [...document.querySelectorAll("#faults [data-player]")].filter((fault) => fault.dataset.player === name);
  return [make("p", {}, faults.map(([code, count]) => `${count} ${code}`).join(", ")),
    ...shown.map((fault) => fault.cloneNode(true))];
}

/** The games of a player; if the list of all games is not there, those in the page. */
async function gamesSection(number) {
  const { games, note } = await allGames();
  const own = games.filter((game) => playersOf(game).includes(number));
  return [make("h2", {}, "Games"), make("p", {}, toldCount(own.length, note)),
    tableOf("Games", ["Game", data.seats ? "Deal" : "Pair", "Ending"].map((text) => heading(text, "")).concat(heading("Length")),
      own.slice(0, LISTED).map(gameRow))];
}

const player = {
  /** The reading position and the link from which the page was opened. */
  scroll: 0, opener: null,

  async show(name) {
    const number = data.names?.indexOf(name) ?? -1, section = find("player");
    if (number < 0) return this.hide();
    if (section.hidden) [this.scroll, this.opener] = [window.scrollY, document.activeElement];
    const { marks, seats } = data.players[number];
    const back = make("button", { type: "button", title: "Back (Esc)" }, "All players");
    back.onclick = () => this.leave();
    const all = [0, 1, 2].map((at) => seats.reduce((sum, score) => sum + score[at], 0));
    const names = data.seats ?? ["first seat", "second seat"];
    const scores = [["all", all], ...names.map((seat, at) => [seat, seats[at]])];
    const title = make("h1", { id: "player-name", tabindex: -1 }, make("bdi", {}, name),
      ...marks.flatMap((mark) => [" ", make("small", { class: "mark" }, mark)]));
    const games = make("div");
    section.replaceChildren(make("div", { class: "top" }, title, back), standing(number),
      tableOf("Score", [heading("Seat", ""), ...scoreHeadings()],
        scores.map(([label, score]) => make("tr", {}, make("th", { scope: "row" }, label), ...scoreCells(score)))),
      ...progress(number), ...clockOf(number), ...searchesOf(number),
      make("h2", {}, "Faults"), ...faultsOf(number),
      make("h2", {}, data.seats ? "Others" : "Opponents"),
      tableOf(data.seats ? "Others" : "Opponents", [heading("#"), heading("Player", ""), ...scoreHeadings()],
        opponentsOf(number).map(([other, score]) => make("tr", {}, cell(data.players[other].place ?? "–"),
          make("th", { scope: "row" }, playerLink(other)), ...scoreCells(score)))),
      games);
    const isNew = section.hidden || section.dataset.name !== name;
    section.hidden = false;
    section.dataset.name = name;
    document.body.classList.add("one-player");
    if (isNew) {
      window.scrollTo(0, 0);
      title.focus({ preventScroll: true });
    }
    games.replaceChildren(...await gamesSection(number));
  },

  /** Shows the sections again, where they were. */
  hide() {
    if (find("player").hidden) return;
    find("player").hidden = true;
    document.body.classList.remove("one-player");
    window.scrollTo(0, this.scroll);
    if (this.opener?.isConnected) this.opener.focus({ preventScroll: true });
  },

  leave() {
    history.pushState(null, "", location.pathname + location.search);
    follow();
  },
};
