import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** `game.py` of this folder with the kit for Java. */
public class Game {
    public static void main(String[] args) throws Exception {
        RulesProgram.About about =
                new RulesProgram.About("engine", "Engine", "1", "first", "second", "third");
        about.clause("E1", "Move",
                "Each seat takes one to three sticks, as long as there are any, in seat order.");
        RulesProgram.serveEngine(about, options -> new Sticks(args.length), options -> 10);
    }

    private static class Sticks implements RulesProgram.Engine {
        private static int made = 0;
        private final int counts;
        private int left = 20;
        private final int[] taken = new int[3];

        Sticks(int counts) {
            this.counts = counts;
            made++;
        }

        @Override
        public void play(RulesProgram.Options options, RulesProgram.Step step) {
            step.together.forEach((seat, text) -> {
                int count = Math.min(Integer.parseInt(text), left);
                left -= count;
                taken[seat] += count;
            });
        }

        @Override
        public RulesProgram.Position show(RulesProgram.Options options) {
            List<String> rows = new ArrayList<>();
            rows.add("|".repeat(left));
            for (int count = 0; count < counts; count++) {
                rows.add(Integer.toString(made));
            }
            if (left == 0) {
                List<Integer> scores = List.of(taken[0], taken[1], taken[2]);
                return RulesProgram.Position.scores(scores, "scores", rows);
            }
            List<String> legal = List.of("1", "2", "3");
            return RulesProgram.Position.together(Map.of(0, legal, 1, legal, 2, legal), rows);
        }
    }
}
