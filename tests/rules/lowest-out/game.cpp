// Lowest out, as in game.py. A state is the round, and for each seat the round in which it left.
#include <algorithm>
#include <sstream>

#include "rules_program.hpp"

static const std::vector<std::string> NAMES = {"red", "green", "blue", "white"};
static const int ROUNDS = 6;

static std::vector<int> read(const std::string &text)
{
    std::istringstream numbers(text);
    std::vector<int> state;
    for (int number; numbers >> number;)
        state.push_back(number);
    return state;
}

struct LowestOut : Rules {
    const int seats;

    explicit LowestOut(int seats) : seats(seats) {}

    Game game() const override
    {
        return {
            "lowest-out",
            "Lowest out",
            "1",
            {NAMES.begin(), NAMES.begin() + seats},
            {Option::boolean("scores", false, "by score (L2)")},
            {
                {"L1", "Round", "All seats that are in name 1, 2 or 3; the lowest are out."},
                {"L2", "End", "Who is in longest wins. Six rounds are the most."},
            },
            seats == 3,
        };
    }

    std::string start(const Options &) const override
    {
        std::string text = "1";
        for (int seat = 0; seat < seats; seat++)
            text += " 0";
        return text;
    }

    int max_plies(const Options &) const override { return ROUNDS; }

    std::string play(const Options &, const std::string &text, const Step &step,
                     std::vector<std::string> &) const override
    {
        std::vector<int> state = read(text);
        std::vector<std::string> named;
        for (const auto &[seat, number] : step.together)
            named.push_back(number);
        const auto [lowest, highest] = std::minmax_element(named.begin(), named.end());
        for (const auto &[seat, number] : step.together)
            if (number == *lowest && *lowest != *highest)
                state[seat + 1] = state[0];
        std::string after = std::to_string(state[0] + 1);
        for (int seat = 0; seat < seats; seat++)
            after += ' ' + std::to_string(state[seat + 1]);
        return after;
    }

    Position show(const Options &options, const std::string &text) const override
    {
        const std::vector<int> state = read(text);
        Position position;
        position.turn = Turn::together();
        for (int seat = 0; seat < seats; seat++) {
            const int out = state[seat + 1];
            const std::string how = out == 0 ? "in" : "out in round " + std::to_string(out);
            position.rows.push_back(NAMES[seat] + ": " + how);
            if (out == 0)
                position.legal[seat] = {"1", "2", "3"};
            position.views[seat] = quoted(text);
        }
        if (position.legal.size() == 1 || state[0] > ROUNDS)
            position.turn = over(options, state);
        return position;
    }

    Turn over(const Options &options, const std::vector<int> &state) const
    {
        std::vector<int> lasted, places;
        for (int seat = 0; seat < seats; seat++)
            lasted.push_back(state[seat + 1] == 0 ? state[0] : state[seat + 1]);
        if (options.boolean("scores"))
            return Turn::scores({lasted.begin(), lasted.end()}, "rounds");
        if (seats == 2 && lasted[0] == lasted[1])
            return Turn::draw("rounds");
        if (seats == 2)
            return Turn::over(lasted[1] > lasted[0], "rounds");
        for (const int rounds : lasted)
            places.push_back(1 + std::count_if(lasted.begin(), lasted.end(),
                                               [=](int other) { return other > rounds; }));
        return Turn::places(places, "rounds");
    }
};

int main(int, char **args)
{
    serve(LowestOut(std::stoi(args[1])));
}
