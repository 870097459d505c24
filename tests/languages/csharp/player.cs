using System;

class Player {
    static void Main() {
        var random = new Random();
        string line;
        while ((line = Console.ReadLine()) != null) {
            if (line.Contains("\"type\":\"init\"")) {
                Console.WriteLine("ok");
            } else if (line.Contains("\"type\":\"turn\"")) {
                int begin = line.IndexOf("\"legal\":[\"") + 10;
                string list = line.Substring(begin, line.IndexOf("\"]", begin) - begin);
                string[] legal = list.Split(new[] { "\",\"" }, StringSplitOptions.None);
                Console.WriteLine(legal[random.Next(legal.Length)]);
            } else if (line.Contains("\"type\":\"quit\"")) {
                break;
            }
        }
    }
}
