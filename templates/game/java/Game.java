import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The rules of @GAME@. The game here is Nim: replace it with your own.
 *
 * <p>The result of every method must depend only on its arguments. A state is a string in a format
 * of your own; equal states must have equal strings. Seats count from 0.
 */
public class Game extends RulesProgram {
    private static final String HEAPS = "abc";

    public static void main(String[] args) throws Exception {
        new Game().serve();
    }

    @Override
    About about() {
        About about = new About("@GAME@", "@TITLE@", "1", "first", "second");
        about.option("misere", false, "the seat that takes the last stick loses (N2)");
        about.clause("N1", "Move",
                "There are heaps a, b and c of 3, 4 and 5 sticks. The seats take turns; each takes "
                + "one or more sticks from one heap: `b2` takes two sticks from heap b.");
        about.clause("N2", "End", "The seat that takes the last stick wins.");
        return about;
    }

    /** The first state. */
    @Override
    String start(Options options) {
        return new State(new int[] {3, 4, 5}, 0).text();
    }

    /** The length of the longest game. */
    @Override
    int maxPlies(Options options) {
        return 12;
    }

    /** The state after a step; `step.action` is the text of a move. */
    @Override
    String play(Options options, String text, Step step, List<String> events) {
        State state = State.read(text);
        int heap = HEAPS.indexOf(step.action.charAt(0));
        state.heaps[heap] -= Integer.parseInt(step.action.substring(1));
        return new State(state.heaps, 1 - state.next).text();
    }

    /** Whose turn it is, what is legal, and the board for people. */
    @Override
    Position show(Options options, String text) {
        State state = State.read(text);
        List<String> legal = new ArrayList<>();
        List<String> rows = new ArrayList<>();
        for (int heap = 0; heap < state.heaps.length; heap++) {
            rows.add(HEAPS.charAt(heap) + " " + "|".repeat(state.heaps[heap]));
            for (int count = 1; count <= state.heaps[heap]; count++) {
                legal.add(HEAPS.charAt(heap) + Integer.toString(count));
            }
        }
        if (legal.isEmpty()) {
            int winner = options.isOn("misere") ? state.next : 1 - state.next;
            return Position.over(winner, "last-stick", rows);
        }
        return Position.move(state.next, legal, rows);
    }

    private static class State {
        final int[] heaps;
        final int next;

        State(int[] heaps, int next) {
            this.heaps = heaps;
            this.next = next;
        }

        static State read(String text) {
            int[] numbers =
                    Arrays.stream(text.split(" ")).mapToInt(Integer::parseInt).toArray();
            return new State(Arrays.copyOf(numbers, 3), numbers[3]);
        }

        String text() {
            return heaps[0] + " " + heaps[1] + " " + heaps[2] + " " + next;
        }
    }
}
