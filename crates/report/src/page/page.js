// The page around the viewer: the ranking, the cross table, the list of all games, and updates
// while it is served.
let data, index = null, gamesPerScript = 0, unread = true;
/** The most games to list. */
const LISTED = 200;

function readData() {
  data = { names: [], order: [], pairs: [], players: [], history: [], ...JSON.parse(find("data").textContent) };
}

/** Reads the games in the page. They are read late, because that takes a while. */
function readReplays() {
  if (unread) JSON.parse(find("replays").textContent).forEach(refereeGame);
  unread = false;
}

/** Receives the list of all games, and the number of games per script. The script calls it. */
function refereeIndex(games, size) { index = games; gamesPerScript = size; }

/** Loads a game that is not read yet, alone or with others in a script of many. */
async function loadGame(id) {
  readReplays();
  if (replays.has(id)) return;
  if (!data.index || "live" in document.documentElement.dataset) return beside(`games/${id}.js`);
  if (!index) await beside("games/index.js");
  const at = index.findIndex(([of]) => of === id);
  if (at < 0) throw new Error(id);
  await beside(`games/part-${Math.floor(at / gamesPerScript)}.js`);
  await unpacked;
}

/** All games, or those in the page if there is no list beside it, and a note that says so. */
async function allGames() {
  if (!index) {
    try { await beside("games/index.js"); } catch { /* The file was sent alone. */ }
  }
  if (index) return { games: index, note: "" };
  readReplays();
  const games = [...replays.values()].map(({ id, players, pair, end, frames }) => {
    const [first, second, ...more] = players.map((name) => data.names.indexOf(name));
    return [id, first, second, pair.join("."), end, frames.at(-1).ply, ...more];
  });
  return { games, note: "Only the games in this file: the folder “games” is not beside it." };
}

/** How many games a list has, and the note about them. */
function toldCount(count, note) {
  const shown = count > LISTED ? `; the first ${LISTED} are listed` : "";
  return `${count} ${count === 1 ? "game" : "games"}${shown}.${note && " "}${note}`;
}

/** The numbers of the players of a game in a list: those after the first two come last. */
const playersOf = ([, first, second, , , , ...more]) => [first, second, ...more];

/** A row of a list of games. */
function gameRow(game) {
  const [id, , , pair, end, plies] = game, isOfMany = playersOf(game).length > 2;
  const names = playersOf(game).flatMap((number, at) => [at ? " – " : "", make("bdi", {}, data.names[number])]);
  return make("tr", {}, make("td", {}, make("a", { href: `#game=${id}&ply=0` }, ...names)),
  make("td", { class: isOfMany ? "n wide" : "n" }, pair), make("td", {}, end),
  make("td", { class: isOfMany ? "n wide" : "n" }, plies === null ? "" : `${plies} ${plies === 1 ? "ply" : "plies"}`));
}

// The ranking.

/** The value of a cell to sort by: a number, or the text if it is none. */
function valueOf(cell) {
  const text = cell.textContent.replace("−", "-").trim();
  return text === "" || Number.isNaN(parseFloat(text)) || cell.tagName === "TH" ? text : parseFloat(text);
}

/** The column by which the reader sorted the ranking, and whether it rises. */
let sorting = null;

function sortRanking(table, column, isRising) {
  [...table.tHead.rows[0].cells].forEach((heading, at) => {
    heading.ariaSort = at !== column ? null : isRising ? "ascending" : "descending";
  });
  // What is missing comes last in both directions.
  const compare = (one, other) => typeof one !== typeof other ? (typeof one === "number" ? -1 : 1)
    : (isRising ? 1 : -1) * (typeof one === "number" ? one - other : one.localeCompare(other));
  for (const body of table.tBodies) {
    const rows = [...body.rows].filter((row) => !row.classList.contains("line"));
    rows.sort((one, other) => compare(valueOf(one.cells[column]), valueOf(other.cells[column])));
    body.append(...rows);
  }
}

function watchRanking() {
  const table = document.querySelector("#ranking table.ranking");
  if (!table) return;
  const headings = [...table.tHead.rows[0].cells].slice(0, -1);
  headings.forEach((heading, column) => {
    const button = make("button", { type: "button", class: "sort" }, heading.textContent);
    heading.replaceChildren(button);
    button.onclick = () => {
      // Names and places rise first, all other columns fall.
      const isRising = heading.ariaSort ? heading.ariaSort !== "ascending" : /^(#|player|ranks)$/.test(button.textContent);
      sorting = [column, isRising];
      sortRanking(table, column, isRising);
    };
  });
  if (sorting) sortRanking(table, ...sorting);
  if (table.classList.contains("whole")) find("all-players")?.remove();
  if (find("all-players")) find("all-players").onclick = () => {
    table.classList.add("whole");
    find("all-players").remove();
  };
  for (const input of [find("who"), find("kind")]) if (input) input.oninput = findPlayers;
}

/** Shows only the players that are searched for. */
function findPlayers() {
  const table = document.querySelector("#ranking table.ranking");
  const text = find("who").value.toLowerCase(), kind = find("kind").value;
  let count = 0;
  for (const row of table.querySelectorAll("tbody tr:not(.line)")) {
    const name = row.querySelector("bdi").textContent.toLowerCase();
    row.hidden = !name.includes(text) || (kind && !row.classList.contains(kind));
    if (!row.hidden) count++;
  }
  table.classList.toggle("searched", !!(text || kind));
  find("who-found").textContent = text || kind ? `${count} found` : "";
}

// The cross table.

/** Fills the cross table, which is empty until it is looked at. */
function drawCross() {
  const heat = find("heat");
  if (!heat || heat.rows.length && heat.drawn === data.order) return;
  heat.replaceChildren();
  const scores = new Map();
  for (const [one, other, [wins, draws, losses]] of data.pairs) {
    scores.set(`${one} ${other}`, [wins, draws, losses]);
    scores.set(`${other} ${one}`, [losses, draws, wins]);
  }
  const place = (number) => String(data.players[number].place ?? "–");
  const cellOf = (row, column) => {
    if (row === column) return make("td", { class: "self" });
    const score = scores.get(`${row} ${column}`);
    if (!score) return make("td");
    const [games, points] = [gamesOf(score), pointsOf(score)];
    return make("td", { class: `h${Math.round(10 * points / games)}`, "data-g": games }, String(points));
  };
  heat.drawn = data.order;
  heat.append(make("thead", {}, make("tr", {}, make("td"), make("td"),
    ...data.order.map((number) => make("th", { scope: "col", title: data.names[number] }, place(number))))),
  make("tbody", {}, ...data.order.map((row) => make("tr", { "data-n": row }, make("td", { class: "n" }, place(row)),
    make("th", { class: "who", scope: "row" }, make("bdi", {}, data.names[row])),
    ...data.order.map((column) => cellOf(row, column))))));
}

/** The players of a cell of the cross table, by number. */
function pairing(cell) {
  const row = cell.parentElement.dataset.n;
  return [Number(row), find("heat").drawn[cell.cellIndex - 2]];
}

function watchCross() {
  const heat = find("heat");
  if (!heat) return;
  const section = heat.closest("details");
  section.addEventListener("toggle", () => { if (section.open) drawCross(); });
  if (section.open) drawCross();
  const tell = (event) => {
    const cell = event.target.closest("td[data-g]");
    if (!cell) return;
    const [one, other] = pairing(cell).map((number) => data.names[number]);
    const games = cell.dataset.g === "1" ? "game" : "games";
    find("pairing").textContent = `${one} scored ${cell.textContent} of ${cell.dataset.g} ${games} against ${other}`;
  };
  heat.onmouseover = tell;
  heat.onclick = (event) => {
    const cell = event.target.closest("td[data-g]");
    if (!cell || !find("one")) return;
    tell(event);
    [find("one").value, find("other").value] = pairing(cell);
    openSection("games");
    find("one").scrollIntoView({ block: "center" });
    list();
  };
  if (find("numbers")) {
    find("numbers").onchange = (event) => heat.classList.toggle("overview", !event.target.checked);
  }
}

// The list of all games.

function watchList() {
  if (!find("one")) return;
  for (const select of [find("one"), find("other")]) {
    select.append(...data.order.map((number) => make("option", { value: number }, data.names[number])));
  }
  for (const input of [find("one"), find("other"), find("ending"), find("sorted")]) input.oninput = list;
  const section = find("one").closest("details");
  section.addEventListener("toggle", () => { if (section.open) list(); });
}

/** Lists the games that are searched for. */
async function list() {
  const { games, note } = await allGames();
  const [one, other] = [find("one").value, find("other").value].map((value) => value === "" ? null : Number(value));
  const ending = find("ending").value.toLowerCase(), sorted = Number(find("sorted").value);
  const fits = (game) => [one, other].every((player) => player === null || playersOf(game).includes(player)) &&
    (one === null || other === null || one !== other) && game[4].toLowerCase().includes(ending);
  const found = games.filter(fits), column = Math.abs(sorted);
  // The plies of a game that is not shown yet are not known: it comes last.
  const byPlies = (a, b) => a === null || b === null ? (a === null) - (b === null) : Math.sign(sorted) * (a - b);
  if (sorted) found.sort((a, b) =>
    column === 5 ? byPlies(a[5], b[5]) : Math.sign(sorted) * String(a[column]).localeCompare(b[column]));
  find("found").textContent = toldCount(found.length, note);
  find("list").replaceChildren(...found.slice(0, LISTED).map(gameRow));
}

// The head and the sections.

/** How many plies around its moment the featured game shows, and how long each stands, in milliseconds. */
const MOMENT = { before: 5, after: 3, ply: 1300, pause: 4000 };
let moment = null;

/** The frame at which a game was decided: the last at which pieces were taken, or else its end. */
function decisive(replay, boards) {
  const count = (board) => board.squares.reduce((sum, square) => sum + piecesOf(replay, square).length, 0);
  const at = boards.findLastIndex((board, at) => at && !replay.frames[at].board && count(board) < count(boards[at - 1]));
  return at < 0 ? boards.length - 1 : at;
}

/** Plays the moments around the decision of the featured game, again and again; where people prefer that nothing moves, shows it. */
async function drawFeatured() {
  clearTimeout(moment);
  const figure = find("featured"), replay = data.featured && await replayOf(data.featured);
  if (!figure || !replay) return;
  const boards = boardsOf(replay), at = decisive(replay, boards), last = Math.min(at + MOMENT.after, boards.length - 1);
  const first = Math.max(at - MOMENT.before, 0), place = figure.querySelector(".board");
  const show = (now) => {
    const frame = replay.frames[now], moves = movesBetween(replay, boards[now - 1], boards[now], frame);
    const svg = drawBoard(replay, boards[now], { named: frame.named, moves: frame.paths?.length ? moves : [] });
    place.replaceChildren(svg);
    figure.querySelector(".ply").textContent = `ply ${frame.ply}`;
    return () => animate(replay, svg, boards[now - 1], boards[now], moves);
  };
  figure.querySelector("a").hash = `#game=${replay.id}&ply=${replay.frames[at].ply}`;
  show(at);
  figure.hidden = false;
  const step = (now) => {
    // Nothing moves that nobody sees, or while a game is watched.
    if (!document.hidden && !find("viewer").open && place.isConnected && !still.matches) {
      show(now)();
      now = now === last ? first : now + 1;
    }
    moment = setTimeout(() => step(now), now === first ? MOMENT.pause : MOMENT.ply);
  };
  if (!still.matches && first < last) moment = setTimeout(() => step(first), MOMENT.pause);
}

function openSection(id) {
  const section = find(id), folded = section?.querySelector("details.folded");
  if (folded) folded.open = true;
  section?.scrollIntoView();
}

/** Shows what the address names: a game, a player or a section. */
function follow() {
  const named = new URLSearchParams(location.hash.slice(1));
  if (named.has("game")) return viewer.open(named.get("game"), Number(named.get("ply") ?? 0));
  viewer.before = location.hash;
  viewer.close();
  projector.hide();
  if (named.has("player")) return player.show(named.get("player"));
  player.hide();
  if (location.hash === "#projector") return projector.show();
  if (/^#[a-z]+$/.test(location.hash)) openSection(location.hash.slice(1));
}

// Updates.

/** Updates the page, and again if it changed meanwhile. */
let renewing = false, again = false;
async function changed() {
  again = true;
  if (renewing) return;
  renewing = true;
  try {
    while (again) { again = false; await renew(); }
  } catch {
    // The server is away. The next connection asks again.
  } finally {
    renewing = false;
  }
}

/** The hashes of the parts of the page, as far as they are known, by id. */
const made = new Map();

/** Replaces the parts of the page that have changed. */
async function renew() {
  const answer = await fetch(`changes?${[...made.values()].join(",")}`);
  if (!answer.ok) return;
  const parts = await answer.json();
  const inputs = ["one", "other", "ending", "sorted", "who", "kind"];
  const chosen = inputs.map((id) => find(id)?.value);
  for (const [id, hash, text] of parts) {
    made.set(id, hash);
    if (id === "data" || id === "replays") find(id).textContent = text;
    else replacePart(find(id), text);
  }
  readData();
  [index, unread] = [null, true];
  start(parts.map(([id]) => id));
  inputs.forEach((id, at) => { if (find(id) && chosen[at] !== undefined) find(id).value = chosen[at]; });
  if (find("who")) findPlayers();
  if (find("games")?.querySelector("details")?.open) list();
  if (!find("player").hidden) player.show(find("player").dataset.name);
}

/** What tells a part that opens from the others, whatever comes before it. Its summary may begin with a name and end with numbers. */
function nameOfDetails(details) {
  const place = details.closest("article") ?? details.previousElementSibling, summary = details.querySelector("summary");
  const heading = (summary?.querySelector("h2") ?? summary)?.textContent.replace(/\d.*$/s, "");
  return [place?.querySelector("h3")?.textContent, details.className, heading].join("|");
}

/** Replaces a part by a new version. What was open stays open, the focus and the places in lists stay where they were. */
function replacePart(part, text) {
  if (!part) return;
  const fresh = document.adoptNode(new DOMParser().parseFromString(text, "text/html").body.firstElementChild);
  const opened = new Map([...part.querySelectorAll("details")].map((details) => [nameOfDetails(details), details.open]));
  for (const details of fresh.querySelectorAll("details")) details.open = opened.get(nameOfDetails(details)) ?? details.open;
  fresh.querySelector("table.ranking")?.classList.toggle("whole", !!part.querySelector("table.ranking.whole"));
  const scrolled = ".scroll, .choices ol", places = [...part.querySelectorAll(scrolled)].map((list) => [list.scrollLeft, list.scrollTop]);
  const focused = part.contains(document.activeElement) ? document.activeElement : null;
  // The list of games is filled later; until then it stays as it was.
  fresh.querySelector("#list")?.append(...part.querySelector("#list")?.childNodes ?? []);
  part.replaceWith(fresh);
  fresh.querySelectorAll(scrolled).forEach((list, at) => list.scrollTo(...places[at] ?? [0, 0]));
  const same = focused?.id ? find(focused.id)
    : focused?.hash && [...fresh.querySelectorAll("a")].find(({ hash }) => hash === focused.hash);
  if (same) same.focus({ preventScroll: true });
}

/** Estimates the time left from the games played since the page was opened. */
let begun = null;
function tellProgress() {
  const line = find("progress");
  if (!line) return;
  const played = Number(line.dataset.played), total = Number(line.dataset.total), now = Date.now();
  begun ??= { played, now };
  const rate = (played - begun.played) / (now - begun.now);
  const minutes = (total - played) / rate / 60_000;
  find("left").textContent = !(rate > 0) ? `${total - played} ${total - played === 1 ? "game" : "games"} to play`
    : minutes < 1 ? "less than a minute left" : minutes < 90 ? `about ${Math.round(minutes)} min left`
    : `about ${Math.round(minutes / 60)} h left`;
}

/** Prepares the parts of the page with these ids. */
function start(ids) {
  const watch = { ranking: watchRanking, cross: watchCross, games: watchList };
  for (const id of ids) watch[id]?.();
  if (ids.includes("data") && find("heat")) {
    const isOpen = find("heat").closest("details").open;
    // A large one takes seconds: while it is open, it stays as it is.
    if (!isOpen) find("heat").replaceChildren();
    else if (data.order.length <= 100) drawCross();
  }
  tellProgress();
  // The page is painted first.
  requestAnimationFrame(() => setTimeout(drawFeatured));
}

readData();
// The page of one game has nothing else.
if (data.only) document.body.classList.add("alone");
else start(["ranking", "cross", "games"]);
if (data.only && !location.hash) history.replaceState(null, "", `#game=${data.only}`);
window.addEventListener("hashchange", follow);
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='#']");
  // Safari does not, and what opens looks for the list in which it was.
  link?.focus({ preventScroll: true });
  if (link && link.hash === location.hash) follow();
});
document.addEventListener("keydown", (event) => {
  const isAway = !find("player").hidden || !find("projector").hidden;
  if (event.key === "Escape" && !find("viewer").open && isAway) player.leave();
});
let closed = [];
window.addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details.folded:not([open])")];
  for (const part of closed) part.open = true;
  drawCross();
});
window.addEventListener("afterprint", () => { for (const part of closed) part.open = false; });
follow();
if ("live" in document.documentElement.dataset) {
  listen("/events", changed, changed);
}
