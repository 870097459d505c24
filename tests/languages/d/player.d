import std.json, std.random, std.stdio;

void main() {
    foreach (line; stdin.byLine) {
        auto message = parseJSON(line);
        switch (message["type"].str) {
        case "init":
            writeln("ok");
            break;
        case "turn":
            auto legal = message["legal"].array;
            writeln(legal[uniform(0, legal.length)].str);
            break;
        case "quit":
            return;
        default:
        }
        stdout.flush();
    }
}
