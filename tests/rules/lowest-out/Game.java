import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Lowest out, as in game.py. A state is the round, and for each seat the round in which it left. */
public class Game extends RulesProgram {
    private static final String[] NAMES = {"red", "green", "blue", "white"};
    private static final int ROUNDS = 6;
    private final int seats;

    private Game(int seats) {
        this.seats = seats;
    }

    public static void main(String[] args) throws Exception {
        new Game(Integer.parseInt(args[0])).serve();
    }

    @Override
    About about() {
        String[] names = java.util.Arrays.copyOf(NAMES, seats);
        About about = new About("lowest-out", "Lowest out", "1", names);
        about.hidden = seats == 3;
        about.option("scores", false, "by score (L2)");
        about.clause("L1", "Round", "All seats that are in name 1, 2 or 3; the lowest are out.");
        about.clause("L2", "End", "Who is in longest wins. Six rounds are the most.");
        return about;
    }

    @Override
    String start(Options options) {
        return "1" + " 0".repeat(seats);
    }

    @Override
    int maxPlies(Options options) {
        return ROUNDS;
    }

    @Override
    String play(Options options, String text, Step step, List<String> events) {
        List<Integer> state = read(text);
        String lowest = Collections.min(step.together.values());
        boolean all = Collections.max(step.together.values()).equals(lowest);
        StringBuilder after = new StringBuilder().append(state.get(0) + 1);
        for (int seat = 0; seat < seats; seat++) {
            boolean leaves = !all && lowest.equals(step.together.get(seat));
            after.append(' ').append(state.get(leaves ? 0 : seat + 1));
        }
        return after.toString();
    }

    @Override
    Position show(Options options, String text) {
        List<Integer> state = read(text);
        List<String> rows = new ArrayList<>();
        Map<Integer, List<String>> legal = new TreeMap<>();
        for (int seat = 0; seat < seats; seat++) {
            int out = state.get(seat + 1);
            rows.add(NAMES[seat] + (out == 0 ? ": in" : ": out in round " + out));
            if (out == 0) {
                legal.put(seat, List.of("1", "2", "3"));
            }
        }
        boolean isOver = legal.size() == 1 || state.get(0) > ROUNDS;
        Position position =
                isOver ? over(options, state, rows) : Position.together(legal, rows);
        if (seats == 3) {
            position.views = Collections.nCopies(seats, state.toString());
        }
        return position;
    }

    private Position over(Options options, List<Integer> state, List<String> rows) {
        List<Integer> lasted = new ArrayList<>();
        state.subList(1, seats + 1).forEach(out -> lasted.add(out == 0 ? state.get(0) : out));
        if (options.isOn("scores")) {
            return Position.scores(lasted, "rounds", rows);
        }
        if (seats == 2) {
            int ahead = lasted.get(0).compareTo(lasted.get(1));
            return ahead == 0 ? Position.draw("rounds", rows)
                    : Position.over(ahead > 0 ? 0 : 1, "rounds", rows);
        }
        List<Integer> places = new ArrayList<>();
        for (int rounds : lasted) {
            places.add(1 + (int) lasted.stream().filter(other -> other > rounds).count());
        }
        return Position.places(places, "rounds", rows);
    }

    private static List<Integer> read(String text) {
        List<Integer> state = new ArrayList<>();
        for (String number : text.split(" ")) {
            state.add(Integer.valueOf(number));
        }
        return state;
    }
}
