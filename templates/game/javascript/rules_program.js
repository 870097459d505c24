// The protocol of a rules program: one request per line on stdin, one answer per line on stdout.
// You need not change this file.
"use strict";

const readline = require("node:readline");

// Answers requests with these functions until `quit` or the end of the input.
//
// `play` returns the next state, or an array of the state and its events. `start` may return
// `{ error: … }` instead of a state if the options contradict each other. `judge` returns the action
// that a text means, or a refusal; without it, only the texts in `legal` are actions. `guess`
// returns a state.
function serve(game, { start, maxPlies, play, show, judge, sample, guess }) {
  function first(options) {
    const state = start(options);
    if (Object.keys(state).join() === "error") {
      return state;
    }
    return { state, ...show(options, state), max_plies: maxPlies(options) };
  }

  function after(options, before, step) {
    const played = play(options, before, step);
    const [state, events] = Array.isArray(played) ? played : [played, []];
    return { state, ...show(options, state), events };
  }

  function refuse(options, state, seat, text) {
    const { legal } = show(options, state);
    if (legal === undefined) {
      return { error: "a game that does not list its legal actions needs `judge`" };
    }
    const examples = (Array.isArray(legal) ? legal : legal[seat]).slice(0, 3).join(", ");
    const refused = `${text} is not legal here; legal actions include ${examples}`;
    return { refused, clause: game.clauses?.[0]?.id };
  }

  const answers = {
    game: () => game,
    start: ({ options }) => first(options),
    play: ({ options, state, step }) => after(options, state, step),
    judge: ({ options, state, seat, text }) => (judge ?? refuse)(options, state, seat, text),
    sample: sample && (({ options, state, seat, draw }) => sample(options, state, seat, draw)),
    guess: guess && (({ options, state, seat, draw }) => {
      const guessed = guess(options, state, seat, draw);
      return { state: guessed, ...show(options, guessed) };
    }),
  };
  const lines = readline.createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    const request = JSON.parse(line);
    if (request.type === "quit") {
      lines.close();
      process.stdin.destroy(); // an open stdin would keep the process
      return;
    }
    const answer = answers[request.type];
    const fields = answer
      ? answer(request)
      : { error: `this game does not answer \`${request.type}\`` };
    console.log(JSON.stringify({ id: request.id, ...fields }));
  });
}

// Like `serve`, for a game that is an object: `make(options)` returns a new one.
//
// The state is the list of steps so far. Functions get the object in place of the state; `play`
// changes it. The last objects are kept, up to `kept`, for games that are checked at the same
// time. If the referee goes back, one is rebuilt. So objects must not depend on each other.
function serveEngine(game, make, { maxPlies, play, show, judge, sample, kept = 8 }) {
  let live = []; // the latest first

  // The object after these steps.
  function after(options, steps) {
    const [made, texts] = [JSON.stringify(options), steps.map((step) => JSON.stringify(step))];
    const fits = live.filter(
      (it) => it.made === made && it.texts.every((text, at) => text === texts[at])
    );
    const [longest] = fits.sort((one, other) => other.texts.length - one.texts.length);
    const best = longest ?? { made, texts: [], engine: make(options) };
    live = [best, ...live.filter((it) => it !== best)].slice(0, kept);
    steps.slice(best.texts.length).forEach((step) => play(options, best.engine, step));
    best.texts = texts;
    return best.engine;
  }

  // The steps with one more, whatever the order of its seats.
  function added(options, steps, { together, ...step }) {
    const inOrder = together && Object.fromEntries(Object.entries(together).sort());
    return [[...steps, inOrder ? { together: inOrder } : step], []];
  }

  const of = (f) => f && ((options, steps, ...rest) => f(options, after(options, steps), ...rest));
  serve(game, {
    start: () => [],
    maxPlies,
    play: added,
    show: of(show),
    judge: of(judge),
    sample: of(sample),
  });
}

module.exports = { serve, serveEngine };
