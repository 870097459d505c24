/** Receives the games of a file beside the page, which calls it. */
let unpacked = Promise.resolve();
function refereePack(text) { unpacked = unpack(text).then((games) => games.forEach(refereeGame)); }

/** The games in a compressed text. */
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).json();
}
