/** Receives the games of a file beside the page, which calls it. */
let unpacked = Promise.resolve();
function refereePack(text) { unpacked = unpack(text).then((all) => all.forEach(refereeGame)); }

/** The games in a compressed text. */
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return readPack(new Uint8Array(await new Response(stream).arrayBuffer()));
}

/** Reads numbers from a column of a pack. */
function column(bytes) {
  let at = 0;
  const next = () => {
    let number = 0, scale = 1, byte;
    do { byte = bytes[at++]; number += (byte & 127) * scale; scale *= 128; } while (byte > 127);
    return number;
  };
  const signed = () => { const number = next(); return number % 2 ? -(number + 1) / 2 : number / 2; };
  return { next, signed };
}

/** The games of a pack; `src/report/replay_pack.rs` defines the format. */
function readPack(all) {
  const length = new DataView(all.buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(all.subarray(4, 4 + length)));
  let at = 4 + length;
  const [ply, template, number, captionTemplate, captionNumber, named, square, clock, path] =
    head.columns.map((size) => column(all.subarray(at, at += size)));
  const fill = (template, number, square) => template.replace(/[\u0001\u0002]/g,
    (mark) => mark === "\u0001" ? number() : square());
  const dot = head.contents.indexOf(".");
  const games = head.games.map(([id, pair, game, players, seats, end, count]) => {
    const before = { ply: 0, caption: [], width: 0, board: [], placed: new Map(), left: [0, 0] };
    const nameOf = (at) => `${at % before.width},${Math.floor(at / before.width)}`;
    const frame = () => {
      const frame = { ply: before.ply += ply.signed() };
      const whole = square.next();
      if (whole) {
        frame.board = head.boards[whole - 1];
        before.width = frame.board[0].length;
        before.board = frame.board.flat().map((text) => head.contents.indexOf(text));
      }
      const parts = [];
      let last = 0, word;
      do {
        word = template.next();
        const squares = [], kind = word >> 1;
        const next = () => { squares.push(last += number.signed()); return nameOf(last); };
        parts.push({ text: fill(head.templates[kind], number.signed, next), squares, kind });
      } while (word % 2);
      frame.told = parts.map(({ text }) => text).join("; ");
      const caption = [];
      const next = () => caption[caption.length] = captionNumber.signed() + (before.caption[caption.length] ?? 0);
      frame.caption = fill(head.templates[captionTemplate.next()], next, () => nameOf(next()));
      before.caption = caption;
      const action = parts.find(({ squares }) => squares.length), moved = action?.squares ?? [];
      if (!whole) {
        const board = before.board.slice();
        if (moved.length === 2) { board[moved[1]] = board[moved[0]]; board[moved[0]] = dot; }
        if (moved.length === 1) board[moved[0]] = before.placed.get(action.kind) ?? dot;
        for (const { text, squares } of parts) {
          if (/^(captured|removed) /.test(text)) for (const at of squares) board[at] = dot;
        }
        for (let left = square.next(); left > 0; left--) { const at = square.next(); board[at] = square.next(); }
        frame.set = board.flatMap((content, at) => content === before.board[at] ? [] : [[at, head.contents[content]]]);
        before.board = board;
        if (moved.length === 1) before.placed.set(action.kind, board[moved[0]]);
      }
      const count = named.next();
      frame.named = count ? Array.from({ length: count - 1 }, named.next) : moved;
      frame.clock = Array.from({ length: clock.next() }, () => {
        const kind = clock.next(), seat = kind % 2, used = clock.signed();
        if (kind < 2) return [seat, used / 100, null];
        before.left[seat] += clock.signed() - used;
        return [seat, used / 100, before.left[seat] / 100];
      });
      frame.paths = Array.from({ length: path.next() }, () => {
        const kind = path.next();
        return [kind % 2, Array.from({ length: kind >> 1 }, path.next)];
      });
      return frame;
    };
    return { id, pair: [pair, game], players, seats, end, frames: Array.from({ length: count }, frame) };
  });
  for (const [game, at, bad, said, views] of head.rare)
    Object.assign(games[game].frames[at], { bad: !!bad, said, views });
  return games;
}
