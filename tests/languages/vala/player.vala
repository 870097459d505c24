void main() {
    string? line;
    while ((line = stdin.read_line()) != null) {
        if ("\"type\":\"init\"" in line) {
            stdout.printf("ok\n");
        } else if ("\"type\":\"turn\"" in line) {
            var list = line.split("\"legal\":[\"")[1].split("\"]")[0];
            var legal = list.split("\",\"");
            stdout.printf("%s\n", legal[Random.int_range(0, legal.length)]);
        } else if ("\"type\":\"quit\"" in line) {
            break;
        }
        stdout.flush();
    }
}
