// The protocol of a rules program: one request per line on stdin, one answer per line on stdout.
// You need not change this file.
#pragma once

#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// A JSON value. Numbers, `true`, `false` and `null` are kept as written.
struct Json {
    std::string text;
    std::vector<Json> items;
    std::map<std::string, Json> members;

    const Json &operator[](const std::string &key) const { return members.at(key); }
    bool has(const std::string &key) const { return members.count(key) != 0; }
};

// The text as a JSON string.
inline std::string quoted(const std::string &text)
{
    static const char *const HEX = "0123456789abcdef";
    std::string json = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            json += '\\';
        if (static_cast<unsigned char>(c) < 0x20)
            json += std::string("\\u00") + HEX[c >> 4] + HEX[c & 15];
        else
            json += c;
    }
    return json + '"';
}

class JsonReader {
public:
    static Json read(const std::string &text) { return JsonReader(text).value(); }

private:
    explicit JsonReader(const std::string &text) : text(text) {}

    Json value()
    {
        Json json;
        const char first = next_visible();
        if (first == '{' || first == '[') {
            const char last = first == '{' ? '}' : ']';
            at++;
            while (next_visible() != last) {
                if (first == '{') {
                    const std::string key = value().text;
                    expect(':');
                    json.members[key] = value();
                } else {
                    json.items.push_back(value());
                }
                if (next_visible() == ',')
                    at++;
            }
            at++;
        } else if (first == '"') {
            json.text = string();
        } else {
            const auto end = text.find_first_of(",]} \t\r\n", at);
            json.text = text.substr(at, end - at);
            at = end == std::string::npos ? text.size() : end;
        }
        return json;
    }

    std::string string()
    {
        std::string read;
        at++;
        while (text.at(at) != '"') {
            if (text[at] != '\\') {
                read += text[at++];
                continue;
            }
            const char escaped = text.at(at + 1);
            at += 2;
            static const std::string FROM = "bfnrt", TO = "\b\f\n\r\t";
            if (escaped == 'u')
                append(read, code_point());
            else if (FROM.find(escaped) != std::string::npos)
                read += TO[FROM.find(escaped)];
            else
                read += escaped;
        }
        at++;
        return read;
    }

    unsigned long code_point()
    {
        unsigned long code = std::stoul(text.substr(at, 4), nullptr, 16);
        at += 4;
        if (code >= 0xd800 && code < 0xdc00 && text.compare(at, 2, "\\u") == 0) {
            code = 0x10000 + ((code - 0xd800) << 10)
                + (std::stoul(text.substr(at + 2, 4), nullptr, 16) - 0xdc00);
            at += 6;
        }
        return code;
    }

    // Appends a character as UTF-8.
    static void append(std::string &read, unsigned long code)
    {
        if (code < 0x80) {
            read += static_cast<char>(code);
            return;
        }
        const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        static const unsigned long FIRST[] = {0, 0xc0, 0xe0, 0xf0};
        read += static_cast<char>(FIRST[more] | code >> (6 * more));
        for (int shift = 6 * (more - 1); shift >= 0; shift -= 6)
            read += static_cast<char>(0x80 | ((code >> shift) & 0x3f));
    }

    char next_visible()
    {
        at = text.find_first_not_of(" \t\r\n", at);
        if (at == std::string::npos)
            throw std::runtime_error("a request is not JSON");
        return text[at];
    }

    void expect(char wanted)
    {
        if (next_visible() != wanted)
            throw std::runtime_error("a request is not JSON");
        at++;
    }

    const std::string &text;
    std::size_t at = 0;
};

// An option of the game. The default and the limits are JSON.
struct Option {
    std::string name, type, standard, text, more;

    static Option boolean(std::string name, bool standard, std::string text)
    {
        return {std::move(name), "boolean", standard ? "true" : "false", std::move(text), ""};
    }

    static Option integer(std::string name, long standard, long min, long max, std::string text)
    {
        const std::string more =
            ",\"min\":" + std::to_string(min) + ",\"max\":" + std::to_string(max);
        return {std::move(name), "integer", std::to_string(standard), std::move(text), more};
    }

    static Option choice(std::string name, const std::string &standard,
                         const std::vector<std::string> &values, std::string text)
    {
        std::string list;
        for (const std::string &value : values)
            list += (list.empty() ? "" : ",") + quoted(value);
        return {std::move(name), "choice", quoted(standard), std::move(text),
                ",\"values\":[" + list + ']'};
    }
};

struct Clause {
    std::string id, title, text;
};

struct Game {
    std::string name, title, version;
    std::vector<std::string> seats; // two to sixteen, first seat first
    std::vector<Option> options;
    std::vector<Clause> clauses;
    bool hidden = false;
    std::string board = {}; // what the characters on its boards mean, as JSON with `legend`
};

// The options in force.
struct Options {
    const Json &json;

    bool boolean(const std::string &name) const { return json[name].text == "true"; }
    long integer(const std::string &name) const { return std::stol(json[name].text); }
    const std::string &choice(const std::string &name) const { return json[name].text; }
};

// A step: `action` for a move or a chance outcome, `together` for a simultaneous turn. Its kind is
// `move`, `together`, `chance` or `pass`.
struct Step {
    std::string kind, action;
    std::map<int, std::string> together; // the actions of the seats that were asked, by seat
};

// Who or what comes next.
struct Turn {
    enum Kind { MOVE, TOGETHER, PASS, CHANCE, OVER, SCORES, PLACES } kind = TOGETHER;
    int seat = 0;
    std::vector<std::pair<std::string, unsigned long>> outcomes;
    std::string reason;
    std::vector<double> ranked = {}; // scores or places

    static Turn move(int seat) { return {MOVE, seat, {}, ""}; }
    // Two or more seats choose at the same time: those for which `legal` has a list.
    static Turn together() { return {TOGETHER, 0, {}, ""}; }
    static Turn pass(int seat) { return {PASS, seat, {}, ""}; }
    // Outcomes with their weights; `seat` is the seat whose luck is used, or -1.
    static Turn chance(std::vector<std::pair<std::string, unsigned long>> outcomes, int seat = -1)
    {
        return {CHANCE, seat, std::move(outcomes), ""};
    }
    // One of two seats has won.
    static Turn over(int winner, std::string reason)
    {
        return {OVER, winner, {}, std::move(reason)};
    }
    // All seats are level.
    static Turn draw(std::string reason) { return {OVER, -1, {}, std::move(reason)}; }
    // The scores of all seats, first seat first: the higher, the better.
    static Turn scores(std::vector<double> scores, std::string reason)
    {
        return {SCORES, -1, {}, std::move(reason), std::move(scores)};
    }
    // The places of more than two seats, first seat first, for example 1, 2, 2, 4.
    static Turn places(const std::vector<int> &places, std::string reason)
    {
        return {PLACES, -1, {}, std::move(reason), {places.begin(), places.end()}};
    }
};

// The visible data of a state. With hidden information, `views` is what each seat may know, as
// JSON.
struct Position {
    Turn turn;
    std::map<int, std::vector<std::string>> legal; // by seat
    std::vector<std::string> rows; // plain text, if there is no board
    std::string caption;
    std::map<int, std::string> views; // by seat
    bool secret = false;
    std::string board = {}; // as JSON with `cells`
};

struct Judgement {
    std::string means, reason, clause;
    bool is_malformed = false;

    static Judgement action(std::string text) { return {std::move(text), "", "", false}; }
    static Judgement refused(std::string reason, std::string clause)
    {
        return {"", std::move(reason), std::move(clause), false};
    }
    static Judgement malformed(std::string reason, std::string clause)
    {
        return {"", std::move(reason), std::move(clause), true};
    }
};

// The rules of a game.
struct Rules {
    virtual ~Rules() = default;
    virtual Game game() const = 0;
    virtual std::string start(const Options &options) const = 0;
    virtual int max_plies(const Options &options) const = 0;
    virtual std::string play(const Options &options, const std::string &state, const Step &step,
                             std::vector<std::string> &events) const = 0;
    virtual Position show(const Options &options, const std::string &state) const = 0;
    // Judges a text that is not among the legal actions. By default, there is no other way to write
    // one.
    virtual Judgement judge(const Options &options, const std::string &state, int seat,
                            const std::string &text) const
    {
        std::string examples;
        const auto legal = show(options, state).legal[seat];
        for (std::size_t i = 0; i < legal.size() && i < 3; i++)
            examples += (i == 0 ? "" : ", ") + legal[i];
        const auto clauses = game().clauses;
        return Judgement::refused(text + " is not legal here; legal actions include " + examples,
                                  clauses.empty() ? "" : clauses[0].id);
    }
};

class Server {
public:
    explicit Server(const Rules &rules) : rules(rules), game(rules.game()) {}

    // The fields of the answer to a request.
    std::string answer(const Json &request) const
    {
        const std::string &type = request["type"].text;
        if (type == "game")
            return about();
        static const Json NONE;
        const Options options{request.has("options") ? request["options"] : NONE};
        if (type == "start")
            return show(options, rules.start(options))
                + ",\"max_plies\":" + std::to_string(rules.max_plies(options));
        if (type == "play") {
            std::vector<std::string> events;
            const auto state =
                rules.play(options, request["state"].text, step(request["step"]), events);
            return show(options, state) + ",\"events\":[" + joined(events) + ']';
        }
        if (type == "judge") {
            const int seat = seat_of(request["seat"].text);
            return judge(rules.judge(options, request["state"].text, seat, request["text"].text));
        }
        return "\"error\":" + quoted("this game does not answer `" + type + '`');
    }

private:
    std::string about() const
    {
        std::vector<std::string> options, clauses;
        for (const Option &option : game.options)
            options.push_back("{\"name\":" + quoted(option.name) + ",\"type\":"
                              + quoted(option.type) + ",\"default\":" + option.standard
                              + option.more + ",\"text\":" + quoted(option.text) + '}');
        for (const Clause &clause : game.clauses)
            clauses.push_back("{\"id\":" + quoted(clause.id) + ",\"title\":" + quoted(clause.title)
                              + ",\"text\":" + quoted(clause.text) + '}');
        return "\"protocol\":1,\"name\":" + quoted(game.name) + ",\"title\":" + quoted(game.title)
            + ",\"version\":" + quoted(game.version) + ",\"seats\":["
            + texts(game.seats) + "],\"hidden\":"
            + (game.hidden ? "true" : "false") + ",\"options\":[" + joined(options)
            + "],\"clauses\":[" + joined(clauses) + ']'
            + (game.board.empty() ? "" : ",\"board\":" + game.board);
    }

    std::string show(const Options &options, const std::string &state) const
    {
        const Position position = rules.show(options, state);
        std::string json = "\"state\":" + quoted(state) + ",\"turn\":{" + turn(position) + '}';
        std::map<int, std::string> lists;
        for (const auto &[seat, legal] : position.legal)
            lists[seat] = '[' + texts(legal) + ']';
        if (position.turn.kind == Turn::MOVE)
            json += ",\"legal\":" + lists[position.turn.seat];
        if (position.turn.kind == Turn::TOGETHER)
            json += ",\"legal\":{" + by_seat(lists) + '}';
        json += ",\"rows\":[" + texts(position.rows) + ']';
        if (!position.board.empty())
            json += ",\"board\":" + position.board;
        if (!position.caption.empty())
            json += ",\"caption\":" + quoted(position.caption);
        if (game.hidden)
            json += ",\"views\":{" + by_seat(position.views) + '}';
        return json + (position.secret ? ",\"secret\":true" : "");
    }

    std::string turn(const Position &position) const
    {
        const Turn &turn = position.turn;
        const std::string seat = turn.seat < 0 ? "" : quoted(game.seats[turn.seat]);
        switch (turn.kind) {
        case Turn::MOVE:
            return "\"move\":" + seat;
        case Turn::TOGETHER: {
            std::vector<std::string> asked;
            for (const auto &[seat, legal] : position.legal)
                asked.push_back(game.seats.at(seat));
            return game.seats.size() == 2 ? "\"both\":true" : "\"together\":[" + texts(asked) + ']';
        }
        case Turn::PASS:
            return "\"pass\":" + seat;
        case Turn::CHANCE: {
            std::vector<std::string> outcomes;
            for (const auto &outcome : turn.outcomes)
                outcomes.push_back('[' + quoted(outcome.first) + ','
                                   + std::to_string(outcome.second) + ']');
            return "\"chance\":[" + joined(outcomes) + ']'
                + (seat.empty() ? "" : ",\"for\":" + seat);
        }
        case Turn::SCORES:
        case Turn::PLACES: {
            std::map<int, std::string> places;
            std::vector<std::string> scores;
            for (const double number : turn.ranked) {
                std::ostringstream text;
                text.precision(15);
                text << number;
                places[scores.size()] = text.str();
                scores.push_back(text.str());
            }
            return "\"over\":{" + (turn.kind == Turn::SCORES
                ? "\"scores\":[" + joined(scores) + ']'
                : "\"places\":{" + by_seat(places) + '}')
                + "},\"reason\":" + quoted(turn.reason);
        }
        default:
            return "\"over\":" + (seat.empty() ? "\"draw\"" : seat)
                + ",\"reason\":" + quoted(turn.reason);
        }
    }

    static std::string judge(const Judgement &judgement)
    {
        if (!judgement.means.empty())
            return "\"action\":" + quoted(judgement.means);
        return "\"refused\":" + quoted(judgement.reason) + ",\"clause\":" + quoted(judgement.clause)
            + (judgement.is_malformed ? ",\"malformed\":true" : "");
    }

    Step step(const Json &json) const
    {
        const auto &[kind, played] = *json.members.begin();
        // A game for two is sent `both`, a list in seat order.
        Step step{kind == "both" ? "together" : kind, played.text, {}};
        for (const Json &action : played.items)
            step.together[step.together.size()] = action.text;
        for (const auto &[seat, action] : played.members)
            step.together[seat_of(seat)] = action.text;
        return step;
    }

    int seat_of(const std::string &name) const
    {
        return std::find(game.seats.begin(), game.seats.end(), name) - game.seats.begin();
    }

    // The members of an object with a value for each of these seats.
    std::string by_seat(const std::map<int, std::string> &values) const
    {
        std::vector<std::string> members;
        for (const auto &[seat, value] : values)
            members.push_back(quoted(game.seats.at(seat)) + ':' + value);
        return joined(members);
    }

    static std::string texts(std::vector<std::string> list)
    {
        for (std::string &text : list)
            text = quoted(text);
        return joined(list);
    }

    static std::string joined(const std::vector<std::string> &list)
    {
        std::string json;
        for (const std::string &item : list)
            json += (json.empty() ? "" : ",") + item;
        return json;
    }

    const Rules &rules;
    const Game game;
};

// Answers requests until `quit` or the end of the input.
inline void serve(const Rules &rules)
{
    const Server server(rules);
    std::ios::sync_with_stdio(false);
    std::string line;
    while (std::getline(std::cin, line)) {
        const Json request = JsonReader::read(line);
        if (request["type"].text == "quit")
            break;
        std::cout << "{\"id\":" << request["id"].text << ',' << server.answer(request) << '}'
                  << std::endl; // which flushes
    }
}
