// The page around the viewer: the cross table, the list of all games, and updates while it is
// served.
let data, index = null, gamesPerScript = 0;
function readData() {
  data = JSON.parse(find("data").textContent);
  data.replays.forEach(refereeGame);
}
readData();

/** Receives the list of all games, and the number of games per script. The script calls it. */
function refereeIndex(games, size) { index = games; gamesPerScript = size; }

/** Loads a game that is not in this file, alone or with others in a script of many. */
async function loadGame(id) {
  if (!data.index || "live" in document.documentElement.dataset) return beside(`games/${id}.js`);
  if (!index) await beside("games/index.js");
  const at = index.findIndex(([of]) => of === id);
  if (at < 0) throw new Error(id);
  await beside(`games/part-${Math.floor(at / gamesPerScript)}.js`);
  await unpacked;
}

/** The players of a cell of the cross table, by number. */
function pairing(cell) {
  const row = cell.parentElement.dataset.n;
  return [Number(row), data.order[cell.cellIndex - 2]];
}

function watchHeat() {
  const heat = find("heat");
  if (!heat) return;
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
    if (!cell || !find("all")) return;
    tell(event);
    [find("one").value, find("other").value] = pairing(cell);
    find("all").open = true;
    find("all").scrollIntoView();
    list();
  };
  if (find("numbers")) {
    find("numbers").onchange = (event) => heat.classList.toggle("overview", !event.target.checked);
  }
}

function watchList() {
  const all = find("all");
  if (!all) return;
  for (const select of [find("one"), find("other")]) {
    select.append(...data.order.map((number) => make("option", { value: number }, data.names[number])));
    select.onchange = list;
  }
  all.ontoggle = () => { if (all.open) list(); };
}

/** Lists the games of the chosen players, the first two hundred of them. */
async function list() {
  if (!index) {
    try { await beside("games/index.js"); }
    catch { find("found").textContent = "The list of all games is not beside this file."; return; }
  }
  const [one, other] = [find("one").value, find("other").value].map((value) => value === "" ? null : Number(value));
  const fits = ([, first, second]) =>
    (one === null || first === one || second === one) &&
    (other === null || first === other || second === other) &&
    (one === null || other === null || one !== other);
  const found = index.filter(fits);
  find("found").textContent = found.length > 200 ? `${found.length} games, the first 200:` : `${found.length} games`;
  find("list").replaceChildren(...found.slice(0, 200).map(([id, first, second, pair, end, plies]) =>
    make("tr", {}, make("td", {}, make("a", { href: `#game=${id}&ply=0` },
      make("bdi", {}, data.names[first]), " – ", make("bdi", {}, data.names[second]))),
    make("td", {}, `pair ${pair}`), make("td", {}, end), make("td", { class: "n" }, `${plies} ${plies === 1 ? "ply" : "plies"}`))));
}

/** Updates the page, and again if it changed meanwhile. */
let renewing = false, again = false;
async function changed() {
  again = true;
  if (renewing) return;
  renewing = true;
  while (again) { again = false; await renew(); }
  renewing = false;
}

/** Replaces the page, except the viewer, by a new version. */
async function renew() {
  const answer = await fetch(location.pathname);
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const open = new Set([...document.querySelectorAll("details")].flatMap((part, at) => part.open ? [at] : []));
  const chosen = [find("one")?.value, find("other")?.value];
  for (const id of ["summary", "data"]) find(id).replaceWith(document.adoptNode(fresh.getElementById(id)));
  for (const part of document.querySelectorAll("main > section:not(#viewer)")) {
    const next = fresh.getElementById(part.id);
    if (next) part.replaceWith(document.adoptNode(next));
  }
  readData();
  index = null;
  start();
  document.querySelectorAll("details").forEach((part, at) => { part.open = open.has(at); });
  if (find("one")) [find("one").value, find("other").value] = chosen;
}

function start() { watchHeat(); watchList(); }
start();
window.addEventListener("hashchange", follow);
follow();
if ("live" in document.documentElement.dataset) {
  new EventSource("/events").onmessage = changed;
}
