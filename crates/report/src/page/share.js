// What a viewer shares of a game: a link to a ply, the board as SVG, the game as an animated PNG.

/** The width of a shared picture, in pixels, and how long an animation shows each ply, in ms. */
const SHARED = { width: 480, pause: 600, end: 3000 };
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

/** The board of a frame as a picture. It has to be in the document to get its look. */
function pictureOf(replay, boards, at) {
  const frame = replay.frames[at], last = replay.frames.at(-1).ply;
  const moves = frame.paths?.length ? movesBetween(replay, boards[at - 1], boards[at], frame) : [];
  const stage = make("div", { class: "offstage" }, drawBoard(replay, boards[at], { named: frame.named, moves }));
  find("viewer").append(stage);
  const end = at === replay.frames.length - 1 ? replay.end : `ply ${frame.ply} of ${last}`;
  const picture = standalone(stage.firstChild, `${replay.players.join(" – ")}, ${end}`);
  stage.remove();
  return picture;
}

/** The picture as the bytes of a PNG file of this size. */
async function pngOf({ source }, width, height) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
  await image.decode();
  const canvas = make("canvas", { width, height });
  canvas.getContext("2d").drawImage(image, 0, 0, width, height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  return new Uint8Array(await blob.arrayBuffer());
}

/** The chunks of a PNG file: their names and contents. */
function chunksOf(png) {
  const view = new DataView(png.buffer), chunks = [];
  for (let at = 8; at < png.length;) {
    const length = view.getUint32(at), name = String.fromCharCode(...png.subarray(at + 4, at + 8));
    chunks.push({ name, data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

const CRC = Uint32Array.from({ length: 256 }, (_, number) => {
  for (let bit = 0; bit < 8; bit++) number = number & 1 ? 0xedb88320 ^ (number >>> 1) : number >>> 1;
  return number;
});

/** A chunk of a PNG file. */
function chunk(name, data) {
  const bytes = new Uint8Array(12 + data.length), view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set([...name].map((letter) => letter.charCodeAt(0)), 4);
  bytes.set(data, 8);
  let sum = 0xffffffff;
  for (const byte of bytes.subarray(4, 8 + data.length)) sum = CRC[(sum ^ byte) & 255] ^ (sum >>> 8);
  view.setUint32(8 + data.length, ~sum >>> 0);
  return bytes;
}

/** Numbers as bytes, each given as a number of bytes and a value. */
function packed(...fields) {
  return Uint8Array.from(fields.flatMap(([size, value]) =>
    Array.from({ length: size }, (_, at) => (value >>> (8 * (size - 1 - at))) & 255)));
}

/** PNG files of the same size as one animated PNG; `pauses` are in milliseconds. */
function animated(files, pauses, width, height) {
  const parts = [files[0].subarray(0, 8)];
  let number = 0;
  files.map(chunksOf).forEach((chunks, at) => {
    if (!at) {
      parts.push(chunk("IHDR", chunks[0].data), chunk("acTL", packed([4, files.length], [4, 0])));
    }
    parts.push(chunk("fcTL", packed([4, number++], [4, width], [4, height], [4, 0], [4, 0],
      [2, pauses[at]], [2, 1000], [1, 0], [1, 0])));
    for (const { name, data } of chunks) {
      if (name !== "IDAT") continue;
      if (!at) { parts.push(chunk("IDAT", data)); continue; }
      const numbered = new Uint8Array(4 + data.length);
      numbered.set(packed([4, number++]));
      numbered.set(data, 4);
      parts.push(chunk("fdAT", numbered));
    }
  });
  return new Blob([...parts, chunk("IEND", new Uint8Array())], { type: "image/png" });
}

/** The replay as an animated PNG. `progress` is told how many frames are drawn. */
async function filmOf(replay, progress) {
  const boards = boardsOf(replay), files = [], pauses = [];
  const { width, height } = pictureOf(replay, boards, 0);
  for (let at = 0; at < replay.frames.length; at++) {
    files.push(await pngOf(pictureOf(replay, boards, at), width, height));
    pauses.push(at === replay.frames.length - 1 ? SHARED.end : SHARED.pause);
    progress(at + 1);
  }
  return animated(files, pauses, width, height);
}

function save(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

const say = (text) => { find("shared").textContent = text; };

find("link").onclick = async () => {
  const address = location.href.split("#")[0] + viewer.address();
  try { await navigator.clipboard.writeText(address); say("The link is copied."); }
  catch { say(address); }
};
find("picture").onclick = () => {
  const { replay, boards, at } = viewer;
  save(new Blob([pictureOf(replay, boards, at).source], { type: "image/svg+xml" }), `${replay.id}-${replay.frames[at].ply}.svg`);
  say("The board is saved as SVG.");
};
find("film").onclick = async () => {
  const { replay } = viewer;
  find("film").disabled = true;
  const film = await filmOf(replay, (done) => say(`Drawing ${done} of ${replay.frames.length} boards …`));
  find("film").disabled = false;
  save(film, `${replay.id}.png`);
  say("The game is saved as an animated PNG.");
};
