fun main() {
    while (true) {
        val line = readLine() ?: break
        if ("\"type\":\"init\"" in line) {
            println("ok")
        } else if ("\"type\":\"turn\"" in line) {
            val legal = line.substringAfter("\"legal\":[\"").substringBefore("\"]")
            println(legal.split("\",\"").random())
        } else if ("\"type\":\"quit\"" in line) {
            break
        }
    }
}
