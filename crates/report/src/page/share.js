// What a viewer shares of a game: a link to a ply, the board as SVG, the game as an animated GIF.

/** The width of a shared picture in pixels, how long an animation shows each ply in ms, and its most bytes. */
const SHARED = { width: 480, pause: 600, end: 3000, bytes: 500_000 };
/** The properties that the style sheet gives the shapes of a board. */
const LOOK = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin",
  "stroke-linecap", "paint-order", "font-size", "font-family", "text-anchor", "opacity"];

/** A drawn board as a picture that needs no style sheet, with a line of text below. */
function standalone(svg, text) {
  const [left, top, width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const copy = svg.cloneNode(true), shapes = copy.querySelectorAll("*");
  svg.querySelectorAll("*").forEach((shape, at) => {
    const style = getComputedStyle(shape);
    for (const name of LOOK) shapes[at].setAttribute(name, style.getPropertyValue(name));
    shapes[at].removeAttribute("class");
  });
  const page = getComputedStyle(document.documentElement);
  const colour = (name) => page.getPropertyValue(name).trim();
  const size = Math.min(0.36, width / Math.max(text.length, 1) * 1.7);
  copy.removeAttribute("class");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `${left} ${top} ${width} ${height + 0.7}`);
  copy.setAttribute("width", SHARED.width);
  copy.setAttribute("height", Math.round(SHARED.width * (height + 0.7) / width));
  copy.setAttribute("font-family", "system-ui, sans-serif");
  copy.prepend(make("rect", { x: left, y: top, width, height: height + 0.7, fill: colour("--card") }));
  copy.append(make("text", { x: left + width / 2, y: top + height + 0.45, "font-size": size,
    "text-anchor": "middle", fill: colour("--ink") }, text));
  return { source: new XMLSerializer().serializeToString(copy), width: Number(copy.getAttribute("width")),
    height: Number(copy.getAttribute("height")) };
}

/** The board of a frame as a picture with these words below. It has to be in the document to get its look. */
function pictureOf(replay, boards, at, words = wordsOf(replay, at)) {
  const frame = replay.frames[at];
  const moves = frame.paths?.length ? movesBetween(replay, boards[at - 1], boards[at], frame) : [];
  const stage = make("div", { class: "offstage" }, drawBoard(replay, boards[at], { named: frame.named, moves }));
  find("viewer").append(stage);
  const picture = standalone(stage.firstChild, words);
  stage.remove();
  return picture;
}

/** The names, and the ply or the result. */
function wordsOf(replay, at) {
  const end = at === replay.frames.length - 1 ? replay.end : `ply ${replay.frames[at].ply} of ${replay.frames.at(-1).ply}`;
  return `${replay.players.join(" – ")}, ${end}`;
}

/** The pixels of a picture in this size, four bytes each. */
async function pixelsOf({ source }, width, height) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
  await image.decode();
  const canvas = make("canvas", { width, height }), context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(image, 0, 0, width, height);
  return context.getImageData(0, 0, width, height).data;
}

/** The index of no colour in a GIF: the pixel stays as it was. */
const KEPT = 255;

/** Gives each pixel the index of its colour, or of the nearest when there are 255. */
function palette() {
  const colours = [], known = new Map();
  const nearest = (red, green, blue) => {
    const far = ([r, g, b]) => (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
    return colours.reduce((best, colour, at) => far(colour) < far(colours[best]) ? at : best, 0);
  };
  const index = (pixels) => Uint8Array.from({ length: pixels.length / 4 }, (_, at) => {
    // The edges of shapes have many shades, of which no eye tells neighbours apart.
    const [red, green, blue] = [0, 1, 2].map((part) => pixels[4 * at + part] & 0xf8 | 4);
    const key = red << 16 | green << 8 | blue;
    let found = known.get(key);
    if (found === undefined) {
      found = colours.length < KEPT ? colours.push([red, green, blue]) - 1 : nearest(red, green, blue);
      known.set(key, found);
    }
    return found;
  });
  return { colours, index };
}

/** Indexed pixels as GIF compresses them. */
function compressed(pixels) {
  const bytes = [];
  let held = 0, bits = 0, width = 9, next = 258, codes = new Map(), prefix = pixels[0];
  const put = (code) => {
    held |= code << bits;
    for (bits += width; bits >= 8; bits -= 8, held >>>= 8) bytes.push(held & 255);
  };
  put(256);
  for (let at = 1; at < pixels.length; at++) {
    const key = prefix << 8 | pixels[at], code = codes.get(key);
    if (code !== undefined) { prefix = code; continue; }
    put(prefix);
    if (next === 4096) { put(256); [width, next] = [9, 258]; codes = new Map(); }
    else { if (next === 1 << width) width++; codes.set(key, next++); }
    prefix = pixels[at];
  }
  put(prefix);
  put(257);
  if (bits) bytes.push(held & 255);
  return bytes;
}

/** The part of a picture that differs from the one before: its place and its pixels. */
function change(now, before, width) {
  const rows = [], columns = [];
  now.forEach((colour, at) => {
    if (colour !== before?.[at]) { rows.push(Math.floor(at / width)); columns.push(at % width); }
  });
  const least = (list) => list.reduce((one, other) => Math.min(one, other), list[0] ?? 0);
  const most = (list) => list.reduce((one, other) => Math.max(one, other), list[0] ?? 0);
  const [left, top] = [least(columns), least(rows)], part = { left, top, width: most(columns) - left + 1, height: most(rows) - top + 1 };
  part.pixels = Uint8Array.from({ length: part.width * part.height }, (_, n) => {
    const at = (top + Math.floor(n / part.width)) * width + left + n % part.width;
    return before && now[at] === before[at] ? KEPT : now[at];
  });
  return part;
}

/** Numbers of two bytes, the lower one first. */
const short = (...numbers) => numbers.flatMap((number) => [number & 255, number >> 8 & 255]);

/** Pictures of one size as an animated GIF that plays again and again; `pauses` are in milliseconds. */
function gifOf(pictures, colours, pauses, width, height) {
  const parts = [[..."GIF89a"].map((letter) => letter.charCodeAt(0)), short(width, height), [0xf7, 0, 0],
    Array.from({ length: 256 }, (_, at) => colours[at] ?? [0, 0, 0]).flat(),
    [0x21, 0xff, 11], [..."NETSCAPE2.0"].map((letter) => letter.charCodeAt(0)), [3, 1, 0, 0, 0]];
  pictures.forEach((picture, at) => {
    const part = change(picture, pictures[at - 1], width);
    parts.push([0x21, 0xf9, 4, 5], short(Math.round(pauses[at] / 10)), [KEPT, 0],
      [0x2c], short(part.left, part.top, part.width, part.height), [0, 8]);
    const bytes = compressed(part.pixels);
    for (let from = 0; from < bytes.length; from += 255) {
      const block = bytes.slice(from, from + 255);
      parts.push([block.length], block);
    }
    parts.push([0]);
  });
  return new Blob([...parts, [0x3b]].map((part) => Uint8Array.from(part)), { type: "image/gif" });
}

/** The replay as an animated GIF with its players and its result. `progress` is told how many frames are drawn. */
async function filmOf(replay, progress) {
  const boards = boardsOf(replay), last = replay.frames.length - 1;
  const words = `${replay.players.join(" – ")}: ${replay.end}`;
  const drawn = replay.frames.map((_, at) => pictureOf(replay, boards, at, words));
  for (let scale = 1; ; scale *= 0.75) {
    const width = Math.round(drawn[0].width * scale), height = Math.round(drawn[0].height * scale);
    const { colours, index } = palette(), pictures = [];
    for (const picture of drawn) {
      pictures.push(index(await pixelsOf(picture, width, height)));
      progress(pictures.length);
    }
    const film = gifOf(pictures, colours, pictures.map((_, at) => at === last ? SHARED.end : SHARED.pause), width, height);
    // Chats show no large files. Smaller than this, nobody sees anything.
    if (film.size <= SHARED.bytes || width < 200) return film;
  }
}

/** The name of a file of a game. */
const fileName = (replay, end) => `${[...replay.players, replay.id].map((part) => part.replace(/[^\w-]+/g, "_")).join("-")}${end}`;

function save(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

const say = (text) => { find("shared").textContent = text; };

find("link").onclick = async () => {
  const address = location.href.split("#")[0] + viewer.address();
  try { await navigator.clipboard.writeText(address); say("Link copied."); }
  catch { say(address); }
};
find("picture").onclick = () => {
  const { replay, boards, at } = viewer;
  save(new Blob([pictureOf(replay, boards, at).source], { type: "image/svg+xml" }), fileName(replay, `-${replay.frames[at].ply}.svg`));
  say("Board saved as SVG.");
};
find("film").onclick = async () => {
  const { replay } = viewer;
  find("film").disabled = true;
  const film = await filmOf(replay, (done) => say(`Drawing board ${done} of ${replay.frames.length} …`));
  find("film").disabled = false;
  save(film, fileName(replay, ".gif"));
  say(`Game saved as a GIF (${Math.ceil(film.size / 1000)} kB).`);
};
find("file").onclick = () => {
  const { replay } = viewer, copy = document.documentElement.cloneNode(true), json = (value) => JSON.stringify(value).replace(/</g, "\\u003c");
  for (const part of copy.querySelectorAll("body > header, body > nav, main > *, meta[property]")) part.remove();
  copy.removeAttribute("data-live");
  copy.querySelector("#viewer").removeAttribute("open");
  copy.querySelector("title").textContent = replay.players.join(" – ");
  copy.querySelector("#data").textContent = json({ only: replay.id });
  copy.querySelector("#replays").textContent = json([replay]);
  // Browsers hide what allows the script to run.
  for (const script of copy.querySelectorAll("script[nonce]")) script.setAttribute("nonce", document.querySelector("script[nonce]").nonce);
  save(new Blob(["<!DOCTYPE html>\n", copy.outerHTML], { type: "text/html" }), fileName(replay, ".html"));
  say("Game saved as a self-contained page.");
};
