// The rules of @GAME@. The game here is Nim: replace it with your own.
//
// The result of every function must depend only on its arguments. A state is a string in a format
// of your own; equal states must have equal strings. Seats count from 0.
#include <array>
#include <sstream>

#include "rules_program.hpp"

struct State {
    std::array<int, 3> heaps;
    int next;

    static State read(const std::string &text)
    {
        State state;
        std::istringstream numbers(text);
        numbers >> state.heaps[0] >> state.heaps[1] >> state.heaps[2] >> state.next;
        return state;
    }

    std::string text() const
    {
        std::ostringstream text;
        text << heaps[0] << ' ' << heaps[1] << ' ' << heaps[2] << ' ' << next;
        return text.str();
    }
};

static const std::string HEAPS = "abc";

struct Nim : Rules {
    Game game() const override
    {
        return {
            "@GAME@",
            "@TITLE@",
            "1",
            {"first", "second"},
            {Option::boolean("misere", false, "the seat that takes the last stick loses (N2)")},
            {
                {"N1", "Move",
                 "There are heaps a, b and c of 3, 4 and 5 sticks. The seats take turns; each "
                 "takes one or more sticks from one heap: `b2` takes two sticks from heap b."},
                {"N2", "End", "The seat that takes the last stick wins."},
            },
        };
    }

    // The first state.
    std::string start(const Options &) const override { return State{{3, 4, 5}, 0}.text(); }

    // The length of the longest game.
    int max_plies(const Options &) const override { return 12; }

    // The state after a step; `step.action` is the text of a move. Events may be added as JSON.
    std::string play(const Options &, const std::string &text, const Step &step,
                     std::vector<std::string> &) const override
    {
        State state = State::read(text);
        state.heaps[HEAPS.find(step.action[0])] -= std::stoi(step.action.substr(1));
        state.next = 1 - state.next;
        return state.text();
    }

    // Whose turn it is, what is legal, and the board for people.
    Position show(const Options &options, const std::string &text) const override
    {
        const State state = State::read(text);
        Position position;
        for (std::size_t heap = 0; heap < HEAPS.size(); heap++) {
            const std::string sticks(state.heaps[heap], '|');
            position.rows.push_back(HEAPS.substr(heap, 1) + ' ' + sticks);
            for (int count = 1; count <= state.heaps[heap]; count++)
                position.legal[state.next].push_back(HEAPS[heap] + std::to_string(count));
        }
        position.turn = Turn::move(state.next);
        if (position.legal[state.next].empty()) {
            const int winner = options.boolean("misere") ? state.next : 1 - state.next;
            position.turn = Turn::over(winner, "last-stick");
        }
        return position;
    }
};

int main()
{
    serve(Nim());
}
