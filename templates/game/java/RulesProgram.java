import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
        List<List<String>> lists = show(options, state).legal;
        List<String> legal = lists.get(Math.min(seat, lists.size() - 1));
        String examples = String.join(", ", legal.subList(0, Math.min(3, legal.size())));
        return Judgement.refused(
                text + " is not legal here; legal are for example " + examples,
                about().firstClause());
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
        String state = request.get("state") instanceof String ? (String) request.get("state") : "";
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
                Step step = new Step((Map<?, ?>) request.get("step"));
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

    private Map<String, Object> fields(Options options, String state) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("state", state);
        show(options, state).addTo(fields, about().seats);
        return fields;
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

        About(String name, String title, String version, String firstSeat, String secondSeat) {
            seats = List.of(firstSeat, secondSeat);
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

    /** A step: `action` for a move or a chance outcome, `both` for a simultaneous turn. */
    static class Step {
        final String kind;
        final String action;
        final List<String> both;

        private Step(Map<?, ?> json) {
            kind = (String) json.keySet().iterator().next();
            Object played = json.get(kind);
            action = played instanceof String ? (String) played : "";
            both = new ArrayList<>();
            if (played instanceof List) {
                ((List<?>) played).forEach(text -> both.add((String) text));
            }
        }
    }

    /** The visible data of a state. */
    static class Position {
        /** With hidden information: what each seat may know, as JSON. */
        List<String> views = List.of();
        /** With hidden information: whether only its own seat is told the last action. */
        boolean secret = false;
        String caption = "";
        /** The board, as JSON with `cells`; the rows are plain text without one. */
        String board = "";
        private final List<String> rows;
        private final String turn;
        private final Object value;
        private final Map<String, Object> more = new LinkedHashMap<>();
        private List<List<String>> legal = List.of();

        private Position(String turn, Object value, List<String> rows) {
            this.turn = turn;
            this.value = value;
            this.rows = rows;
        }

        static Position move(int seat, List<String> legal, List<String> rows) {
            Position position = new Position("move", seat, rows);
            position.legal = List.of(legal);
            return position;
        }

        static Position both(List<String> first, List<String> second, List<String> rows) {
            Position position = new Position("both", true, rows);
            position.legal = List.of(first, second);
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

        static Position over(int winner, String reason, List<String> rows) {
            Position position = new Position("over", winner, rows);
            position.more.put("reason", reason);
            return position;
        }

        static Position draw(String reason, List<String> rows) {
            Position position = new Position("over", "draw", rows);
            position.more.put("reason", reason);
            return position;
        }

        private void addTo(Map<String, Object> fields, List<String> seats) {
            Map<String, Object> waits = Json.object(turn, value);
            waits.putAll(more);
            waits.replaceAll((key, it) -> it instanceof Integer ? seats.get((Integer) it) : it);
            fields.put("turn", waits);
            if (!legal.isEmpty()) {
                fields.put("legal", legal.size() == 1 ? legal.get(0) : bySeat(seats, legal));
            }
            fields.put("rows", rows);
            if (!board.isEmpty()) {
                fields.put("board", Json.raw(board));
            }
            if (!caption.isEmpty()) {
                fields.put("caption", caption);
            }
            if (!views.isEmpty()) {
                fields.put("views",
                        bySeat(seats, List.of(Json.raw(views.get(0)), Json.raw(views.get(1)))));
            }
            if (secret) {
                fields.put("secret", true);
            }
        }

        private static Map<String, Object> bySeat(List<String> seats, List<?> values) {
            return Json.object(seats.get(0), values.get(0), seats.get(1), values.get(1));
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
