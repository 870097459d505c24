// A player for @GAME@.
#include <algorithm>
#include <iostream>
#include <random>
#include <string>
#include <vector>

// The strings in the list under `key` in `line`.
static std::vector<std::string> read_list(const std::string &line, const std::string &key)
{
    std::vector<std::string> items;
    const auto begin = line.find('"' + key + "\":[");
    if (begin == std::string::npos)
        return items;
    auto at = line.find('[', begin) + 1;
    while (at < line.size() && line[at] == '"') {
        const auto end = line.find('"', at + 1);
        items.push_back(line.substr(at + 1, end - at - 1));
        at = end + 1 + (line[end + 1] == ',');
    }
    return items;
}

// Chooses the action. Start here: `line` is the whole turn, with its state and events.
static std::string choose(const std::string &line, std::mt19937_64 &rng)
{
    const auto pick = [&rng](const std::vector<std::string> &list) {
        return list.at(std::uniform_int_distribution<std::size_t>(0, list.size() - 1)(rng));
    };
<<rows>>
    // The position is under "state": read_list(line, "@ROWS@")[row][column] is a square.
<<end>>
<<list>>
    return pick(read_list(line, "legal"));
<<factored>>
    const auto legal = line.substr(line.find("\"legal\":")); // the state has such lists too
    const auto directions = read_list(legal, "directions");
    auto squares = read_list(legal, "squares");
    std::shuffle(squares.begin(), squares.end(), rng);
    squares.resize(std::stoul(legal.substr(legal.find("\"walls\":") + 8)));
    auto action = pick(directions) + ' ' + pick(directions);
    for (const auto &square : squares)
        action += ' ' + square;
    return action;
<<end>>
}

int main()
{
    std::mt19937_64 rng;
    std::string line;
    while (std::getline(std::cin, line)) {
        const auto is = [&line](const std::string &type) {
            return line.rfind("{\"type\":\"" + type + '"', 0) == 0;
        };
        if (is("init")) {
            rng.seed(std::stoull(line.substr(line.find("\"seed\":") + 7)));
            const bool known = line.find("\"game\":\"@GAME@\"") != std::string::npos;
            const char *refusal = "{\"error\":\"@REFUSAL@\"}";
            std::cout << (known ? "ok" : refusal) << std::endl; // endl flushes
        } else if (is("turn")) {
            std::cout << choose(line, rng) << std::endl;
        } else if (is("quit")) {
            break;
        } // `error` and `end` ask for no reply
    }
}
