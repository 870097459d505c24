// The games in play on boards, while the page is served.

const inPlay = {
  /** The figure and the last board of each game that is shown, by its id. */
  shown: new Map(),

  /** Shows the games that the run sent. */
  receive(games) {
    find("in-play").hidden = !games.length;
    for (const [id, { figure }] of this.shown) {
      if (!games.some((game) => game.id === id)) { figure.remove(); this.shown.delete(id); }
    }
    for (const game of games) this.show(game);
  },

  /** Shows one game, with the moves since its board before. */
  show(game) {
    const { frame } = game, known = this.shown.get(game.id);
    if (known?.ply === frame.ply) return;
    const board = positionOf(frame);
    const figure = known?.figure ?? find("boards").appendChild(make("figure"));
    const svg = drawBoard(game, board, { named: frame.named });
    figure.replaceChildren(svg, make("figcaption", {}, ...versus(game), ` · ply ${frame.ply}`));
    if (known?.board.squares.length === board.squares.length)
      animate(game, svg, known.board, board, movesBetween(game, known.board, board, { ...frame, board: null }));
    this.shown.set(game.id, { figure, board, ply: frame.ply });
  },
};

/**
 * Hears the events of an address while the page is seen: a browser has six connections to a server for all its tabs.
 * Calls `missed` at each connection before which it may have missed some.
 */
function listen(address, hear, missed = () => {}) {
  let source = null, wasOpen = document.hidden;
  const turn = () => {
    if (document.hidden) {
      source?.close();
      source = null;
    } else if (!source) {
      source = new EventSource(address);
      source.onmessage = hear;
      source.onopen = () => {
        if (wasOpen) missed();
        wasOpen = true;
      };
    }
  };
  document.addEventListener("visibilitychange", turn);
  turn();
}

if ("live" in document.documentElement.dataset) {
  listen("/in-play", ({ data }) => inPlay.receive(JSON.parse(data)));
}
