import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * The protocol of a rules program: one request per line on stdin, one answer per line on stdout.
 * You need not change this file.
 */
abstract class RulesProgram {
    abstract About about();

    abstract String start(Options options);

    abstract int maxPlies(Options options);

    /** Events may be added as JSON objects. */
    abstract String play(Options options, String state, Step step, List<String> events);

    abstract Position show(Options options, String state);

    /**
     * Judges a text that is not among the legal actions: the action that it means, or a refusal. By
     * default, there is no other way to write an action.
     */
    Judgement judge(Options options, String state, int seat, String text) {
        List<String> legal = show(options, state).legal.get(seat);
        String examples = String.join(", ", legal.subList(0, Math.min(3, legal.size())));
        return Judgement.refused(
                text + " is not legal here; legal actions include " + examples,
                about().firstClause());
    }

    /** A game that is an object: it plays steps, and shows what comes next. */
    interface Engine {
        void play(Options options, Step step);

        Position show(Options options);

        /** As in a rules program; by default, only the legal actions are actions. */
        default Judgement judge(Options options, int seat, String text) {
            return null;
        }
    }

    /**
     * Like `serve`, for a game that is an object: `make` returns a new one.
     *
     * <p>The state is the list of steps so far. The last objects are kept, up to `KEPT`, for
     * games that are checked at the same time. If the referee goes back, one is rebuilt. So
     * objects must not depend on each other.
     */
    static void serveEngine(About about, Function<Options, Engine> make,
            ToIntFunction<Options> maxPlies) throws IOException {
        new EngineProgram(about, make, maxPlies).serve();
    }

    /** Answers requests until `quit` or the end of the input. */
    void serve() throws IOException {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        String line;
        while ((line = in.readLine()) != null) {
            Map<?, ?> request = (Map<?, ?>) new JsonReader(line).value();
            if (request.get("type").equals("quit")) {
                break;
            }
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("id", request.get("id"));
            answer(request, answer);
            out.println(Json.text(answer));
            out.flush();
        }
    }

    private void answer(Map<?, ?> request, Map<String, Object> answer) {
        Options options = new Options((Map<?, ?>) request.get("options"));
        String state = readState(request.get("state"));
        switch ((String) request.get("type")) {
            case "game":
                answer.putAll(about().fields());
                break;
            case "start":
                answer.putAll(fields(options, start(options)));
                answer.put("max_plies", maxPlies(options));
                break;
            case "play":
                List<String> events = new ArrayList<>();
                Step step = new Step((Map<?, ?>) request.get("step"), about().seats);
                answer.putAll(fields(options, play(options, state, step, events)));
                answer.put("events", Json.raw("[" + String.join(",", events) + "]"));
                break;
            case "judge":
                int seat = about().seats.indexOf(request.get("seat"));
                String text = (String) request.get("text");
                answer.putAll(judge(options, state, seat, text).fields);
                break;
            default:
                answer.put("error", "this game does not answer `" + request.get("type") + "`");
        }
    }

    /** The state as its game writes it, from a request that may have none. */
    String readState(Object sent) {
        return sent instanceof String ? (String) sent : "";
    }

    /** The state as it is sent to the referee. */
    Object sentState(String state) {
        return state;
    }

    private Map<String, Object> fields(Options options, String state) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("state", sentState(state));
        show(options, state).addTo(fields, about().seats);
        return fields;
    }

    /** A game that is an object. Its state is the JSON of the list of steps. */
    private static class EngineProgram extends RulesProgram {
        private static final int KEPT = 8;
        private final About about;
        private final Function<Options, Engine> make;
        private final ToIntFunction<Options> maxPlies;
        /** The latest first. */
        private final List<LiveEngine> live = new ArrayList<>();

        EngineProgram(About about, Function<Options, Engine> make,
                ToIntFunction<Options> maxPlies) {
            this.about = about;
            this.make = make;
            this.maxPlies = maxPlies;
        }

        /** The object after these steps. */
        private Engine after(Options options, String state) {
            List<?> steps = (List<?>) new JsonReader(state).value();
            LiveEngine best = live.stream()
                    .filter(it -> it.isBefore(options, steps))
                    .max(Comparator.comparingInt(it -> it.steps.size()))
                    .orElseGet(() -> new LiveEngine(options, make.apply(options)));
            live.remove(best);
            live.add(0, best);
            live.subList(Math.min(KEPT, live.size()), live.size()).clear();
            for (Object step : steps.subList(best.steps.size(), steps.size())) {
                best.engine.play(options, new Step((Map<?, ?>) step, about.seats));
            }
            best.steps = steps;
            return best.engine;
        }

        @Override
        About about() {
            return about;
        }

        @Override
        String start(Options options) {
            return "[]";
        }

        @Override
        int maxPlies(Options options) {
            return maxPlies.applyAsInt(options);
        }

        @Override
        String play(Options options, String state, Step step, List<String> events) {
            List<Object> steps = new ArrayList<>((List<?>) new JsonReader(state).value());
            steps.add(step.inOrder());
            return Json.text(steps);
        }

        @Override
        Position show(Options options, String state) {
            return after(options, state).show(options);
        }

        @Override
        Judgement judge(Options options, String state, int seat, String text) {
            Judgement judged = after(options, state).judge(options, seat, text);
            return judged == null ? super.judge(options, state, seat, text) : judged;
        }

        @Override
        String readState(Object sent) {
            return Json.text(sent);
        }

        @Override
        Object sentState(String state) {
            return Json.raw(state);
        }
    }

    /** An object, and the steps that it has played. */
    private static class LiveEngine {
        private final Map<?, ?> options;
        private final Engine engine;
        private List<?> steps = List.of();

        LiveEngine(Options options, Engine engine) {
            this.options = options.values;
            this.engine = engine;
        }

        boolean isBefore(Options options, List<?> after) {
            return this.options.equals(options.values) && steps.size() <= after.size()
                    && after.subList(0, steps.size()).equals(steps);
        }
    }

    /** The description of the game. */
    static class About {
        final List<String> seats;
        boolean hidden = false;
        /** What the characters on its boards mean, as JSON with `legend`. */
        String board = "";
        private final Map<String, Object> fields = new LinkedHashMap<>();
        private final List<Object> options = new ArrayList<>();
        private final List<Object> clauses = new ArrayList<>();

        /** Two to sixteen seats, first seat first. */
        About(String name, String title, String version, String... seats) {
            this.seats = List.of(seats);
            fields.put("protocol", 1);
            fields.put("name", name);
            fields.put("title", title);
            fields.put("version", version);
        }

        void option(String name, boolean standard, String text) {
            options.add(Json.object(
                    "name", name, "type", "boolean", "default", standard, "text", text));
        }

        void option(String name, long standard, long min, long max, String text) {
            options.add(Json.object("name", name, "type", "integer", "default", standard,
                    "min", min, "max", max, "text", text));
        }

        void option(String name, String standard, List<String> values, String text) {
            options.add(Json.object("name", name, "type", "choice", "default", standard,
                    "values", values, "text", text));
        }

        void clause(String id, String title, String text) {
            clauses.add(Json.object("id", id, "title", title, "text", text));
        }

        private String firstClause() {
            return clauses.isEmpty() ? "" : (String) ((Map<?, ?>) clauses.get(0)).get("id");
        }

        private Map<String, Object> fields() {
            fields.put("seats", seats);
            fields.put("hidden", hidden);
            fields.put("options", options);
            fields.put("clauses", clauses);
            if (!board.isEmpty()) {
                fields.put("board", Json.raw(board));
            }
            return fields;
        }
    }

    /** The options in force. */
    static class Options {
        private final Map<?, ?> values;

        private Options(Map<?, ?> values) {
            this.values = values;
        }

        boolean isOn(String name) {
            return (Boolean) values.get(name);
        }

        long number(String name) {
            return (Long) values.get(name);
        }

        String choice(String name) {
            return (String) values.get(name);
        }
    }

    /** A step: `action` for a move or a chance outcome, `together` for a simultaneous turn. */
    static class Step {
        /** `move`, `together`, `chance` or `pass`. */
        final String kind;
        final String action;
        /** The actions of the seats that were asked, by seat. */
        final Map<Integer, String> together = new TreeMap<>();
        private final Map<?, ?> json;

        private Step(Map<?, ?> json, List<String> seats) {
            this.json = json;
            String key = (String) json.keySet().iterator().next();
            Object played = json.get(key);
            kind = key.equals("both") ? "together" : key;
            action = played instanceof String ? (String) played : "";
            if (played instanceof List) { // what a game for two is sent, in seat order
                ((List<?>) played).forEach(text -> together.put(together.size(), (String) text));
            } else if (played instanceof Map) {
                ((Map<?, ?>) played).forEach(
                        (seat, text) -> together.put(seats.indexOf(seat), (String) text));
            }
        }

        /** As it was sent, whatever the order of its seats. */
        private Map<?, ?> inOrder() {
            Object played = json.get("together");
            return played == null ? json : Map.of("together", new TreeMap<>((Map<?, ?>) played));
        }
    }

    /** The visible data of a state. */
    static class Position {
        /** With hidden information: what each seat may know, as JSON. */
        List<String> views = List.of();
        /** With hidden information: whether only its own seat receives the last action. */
        boolean secret = false;
        String caption = "";
        /** The board, as JSON with `cells`; the rows are plain text without one. */
        String board = "";
        private final List<String> rows;
        private final String turn;
        private final Object value;
        private final Map<String, Object> more = new LinkedHashMap<>();
        private List<Integer> places = List.of();
        /** By seat. */
        private Map<Integer, List<String>> legal = Map.of();

        private Position(String turn, Object value, List<String> rows) {
            this.turn = turn;
            this.value = value;
            this.rows = rows;
        }

        static Position move(int seat, List<String> legal, List<String> rows) {
            Position position = new Position("move", seat, rows);
            position.legal = Map.of(seat, legal);
            return position;
        }

        /** Two or more seats choose at the same time, each from its own list. */
        static Position together(Map<Integer, List<String>> legal, List<String> rows) {
            Position position = new Position("together", null, rows);
            position.legal = new TreeMap<>(legal);
            return position;
        }

        static Position pass(int seat, List<String> rows) {
            return new Position("pass", seat, rows);
        }

        /** Outcomes with their weights; `seat` is the seat whose luck is used, or null. */
        static Position chance(Map<String, Long> outcomes, Integer seat, List<String> rows) {
            List<Object> listed = new ArrayList<>();
            outcomes.forEach((text, weight) -> listed.add(Arrays.asList(text, weight)));
            Position position = new Position("chance", listed, rows);
            if (seat != null) {
                position.more.put("for", seat);
            }
            return position;
        }

        /** One of two seats has won. */
        static Position over(int winner, String reason, List<String> rows) {
            return ended(winner, reason, rows);
        }

        /** All seats are level. */
        static Position draw(String reason, List<String> rows) {
            return ended("draw", reason, rows);
        }

        /** The scores of all seats, first seat first: the higher, the better. */
        static Position scores(List<? extends Number> scores, String reason, List<String> rows) {
            return ended(Json.object("scores", scores), reason, rows);
        }

        /** The places of more than two seats, first seat first, for example 1, 2, 2, 4. */
        static Position places(List<Integer> places, String reason, List<String> rows) {
            Position position = ended(null, reason, rows);
            position.places = places;
            return position;
        }

        private static Position ended(Object value, String reason, List<String> rows) {
            Position position = new Position("over", value, rows);
            position.more.put("reason", reason);
            return position;
        }

        private void addTo(Map<String, Object> fields, List<String> seats) {
            Map<String, Object> waits = Json.object(turn, value);
            waits.putAll(more);
            waits.replaceAll((key, it) -> it instanceof Integer ? seats.get((Integer) it) : it);
            if (turn.equals("together")) {
                List<Object> asked = new ArrayList<>();
                legal.keySet().forEach(seat -> asked.add(seats.get(seat)));
                waits = seats.size() == 2 ? Json.object("both", true) : Json.object(turn, asked);
            }
            if (!places.isEmpty()) {
                waits.put("over", Json.object("places", bySeat(seats, places)));
            }
            fields.put("turn", waits);
            if (turn.equals("move")) {
                fields.put("legal", legal.values().iterator().next());
            } else if (!legal.isEmpty()) {
                Map<String, Object> lists = new LinkedHashMap<>();
                legal.forEach((seat, list) -> lists.put(seats.get(seat), list));
                fields.put("legal", lists);
            }
            fields.put("rows", rows);
            if (!board.isEmpty()) {
                fields.put("board", Json.raw(board));
            }
            if (!caption.isEmpty()) {
                fields.put("caption", caption);
            }
            if (!views.isEmpty()) {
                List<Object> shown = new ArrayList<>();
                views.forEach(view -> shown.add(Json.raw(view)));
                fields.put("views", bySeat(seats, shown));
            }
            if (secret) {
                fields.put("secret", true);
            }
        }

        private static Map<String, Object> bySeat(List<String> seats, List<?> values) {
            Map<String, Object> named = new LinkedHashMap<>();
            seats.forEach(seat -> named.put(seat, values.get(named.size())));
            return named;
        }
    }

    /** Judges a text that is not among the legal actions: the action that it means, or a refusal. */
    static class Judgement {
        private final Map<String, Object> fields;

        private Judgement(Object... fields) {
            this.fields = Json.object(fields);
        }

        static Judgement action(String text) {
            return new Judgement("action", text);
        }

        static Judgement refused(String reason, String clause) {
            return new Judgement("refused", reason, "clause", clause);
        }

        static Judgement malformed(String reason, String clause) {
            return new Judgement("refused", reason, "clause", clause, "malformed", true);
        }
    }

    /** JSON values: maps, lists, strings, numbers, booleans. */
    private static class Json {
        private final String raw;

        private Json(String raw) {
            this.raw = raw;
        }

        /** A value that is already JSON. */
        static Json raw(String raw) {
            return new Json(raw);
        }

        static Map<String, Object> object(Object... keysAndValues) {
            Map<String, Object> object = new LinkedHashMap<>();
            for (int i = 0; i < keysAndValues.length; i += 2) {
                object.put((String) keysAndValues[i], keysAndValues[i + 1]);
            }
            return object;
        }

        static String text(Object value) {
            if (value instanceof Map) {
                List<String> members = new ArrayList<>();
                ((Map<?, ?>) value).forEach(
                        (key, member) -> members.add(text(key) + ":" + text(member)));
                return "{" + String.join(",", members) + "}";
            }
            if (value instanceof List) {
                List<String> items = new ArrayList<>();
                ((List<?>) value).forEach(item -> items.add(text(item)));
                return "[" + String.join(",", items) + "]";
            }
            if (value instanceof String) {
                return quoted((String) value);
            }
            return value instanceof Json ? ((Json) value).raw : String.valueOf(value);
        }

        private static String quoted(String text) {
            StringBuilder json = new StringBuilder("\"");
            for (char c : text.toCharArray()) {
                if (c == '"' || c == '\\') {
                    json.append('\\').append(c);
                } else if (c < ' ') {
                    json.append(String.format("\\u%04x", (int) c));
                } else {
                    json.append(c);
                }
            }
            return json.append('"').toString();
        }
    }

    /** Reads JSON. */
    private static class JsonReader {
        private final String text;
        private int at = 0;

        JsonReader(String text) {
            this.text = text;
        }

        Object value() {
            switch (nextVisible()) {
                case '{':
                    return object();
                case '[':
                    return list();
                case '"':
                    return string();
                default:
                    return word();
            }
        }

        private Map<String, Object> object() {
            Map<String, Object> members = new LinkedHashMap<>();
            at++;
            while (nextVisible() != '}') {
                String key = string();
                nextVisible();
                at++; // the colon
                members.put(key, value());
                skipComma();
            }
            at++;
            return members;
        }

        private List<Object> list() {
            List<Object> items = new ArrayList<>();
            at++;
            while (nextVisible() != ']') {
                items.add(value());
                skipComma();
            }
            at++;
            return Collections.unmodifiableList(items);
        }

        private String string() {
            StringBuilder read = new StringBuilder();
            for (at++; text.charAt(at) != '"'; at++) {
                char c = text.charAt(at);
                if (c == '\\') {
                    c = text.charAt(++at);
                    int known = "bfnrt".indexOf(c);
                    if (known >= 0) {
                        c = "\b\f\n\r\t".charAt(known);
                    } else if (c == 'u') {
                        c = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
                        at += 4;
                    }
                }
                read.append(c);
            }
            at++;
            return read.toString();
        }

        private Object word() {
            int from = at;
            while (at < text.length() && ",]} \t".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            String word = text.substring(from, at);
            switch (word) {
                case "true":
                case "false":
                    return Boolean.valueOf(word);
                case "null":
                    return null;
                default:
                    return word.matches("-?[0-9]+")
                            ? (Object) Long.valueOf(word) : Double.valueOf(word);
            }
        }

        private char nextVisible() {
            while (" \t".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
            return text.charAt(at);
        }

        private void skipComma() {
            if (nextVisible() == ',') {
                at++;
            }
        }
    }
}
