object Player {
  def main(args: Array[String]): Unit = {
    var line = scala.io.StdIn.readLine()
    while (line != null && !line.contains("\"type\":\"quit\"")) {
      if (line.contains("\"type\":\"init\"")) {
        println("ok")
      } else if (line.contains("\"type\":\"turn\"")) {
        val legal = line.split("\"legal\":\\[\"")(1).split("\"\\]")(0).split("\",\"")
        println(legal(scala.util.Random.nextInt(legal.length)))
      }
      line = scala.io.StdIn.readLine()
    }
  }
}
