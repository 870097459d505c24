import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
<<factored>>
import java.util.Collections;
<<end>>
import java.util.List;
import java.util.Random;

/** A player for @GAME@. */
public class Player {
    private Random random = new Random();

    public static void main(String[] args) throws IOException {
        new Player().play(
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)));
    }

    private void play(BufferedReader input) throws IOException {
        String line;
        while ((line = input.readLine()) != null) {
            if (line.startsWith("{\"type\":\"init\"")) {
                random = new Random(readNumber(line, "seed"));
                boolean known = line.contains("\"game\":\"@GAME@\"");
                System.out.println(known ? "ok" : "{\"error\":\"@REFUSAL@\"}");
            } else if (line.startsWith("{\"type\":\"turn\"")) {
                System.out.println(choose(line));
            } else if (line.startsWith("{\"type\":\"quit\"")) {
                return;
            } // "error" and "end" ask for no reply.
            System.out.flush();
        }
    }

    /** Chooses the action. Start here: the line is the whole turn, with its state and events. */
    private String choose(String line) {
<<rows>>
        // The position is under "state": readList(line, "@ROWS@").get(row).charAt(column) is a square.
<<end>>
<<list>>
        return pick(readList(line, "legal"));
<<factored>>
        // The state has lists with these names too.
        String legal = line.substring(line.indexOf("\"legal\":"));
        List<String> directions = readList(legal, "directions");
        List<String> squares = readList(legal, "squares");
        Collections.shuffle(squares, random);
        int walls = (int) readNumber(legal, "walls");
        String places = String.join(" ", squares.subList(0, walls));
        return pick(directions) + " " + pick(directions) + " " + places;
<<end>>
    }

    private String pick(List<String> list) {
        return list.get(random.nextInt(list.size()));
    }

    /** The number under the key. */
    private static long readNumber(String line, String key) {
        String start = "\"" + key + "\":";
        int from = line.indexOf(start) + start.length();
        return Long.parseLong(line.substring(from, line.indexOf(',', from)));
    }

    /** The strings in the list under the key. */
    private static List<String> readList(String line, String key) {
        String start = "\"" + key + "\":[\"";
        int from = line.indexOf(start) + start.length();
        return Arrays.asList(line.substring(from, line.indexOf("\"]", from)).split("\",\""));
    }
}
