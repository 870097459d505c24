import java.util.Random;
import java.util.Scanner;

class Player {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        Random random = new Random();
        while (in.hasNextLine()) {
            String line = in.nextLine();
            if (line.contains("\"type\":\"init\"")) {
                System.out.println("ok");
            } else if (line.contains("\"type\":\"turn\"")) {
                int begin = line.indexOf("\"legal\":[\"") + 10;
                String[] legal = line.substring(begin, line.indexOf("\"]", begin)).split("\",\"");
                System.out.println(legal[random.nextInt(legal.length)]);
            } else if (line.contains("\"type\":\"quit\"")) {
                break;
            }
        }
    }
}
