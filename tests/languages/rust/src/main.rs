use std::time::SystemTime;

fn main() {
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        if line.contains("\"type\":\"init\"") {
            println!("ok");
        } else if line.contains("\"type\":\"turn\"") {
            let legal = line.split("\"legal\":[\"").nth(1).unwrap().split("\"]").next().unwrap();
            let legal: Vec<&str> = legal.split("\",\"").collect();
            // The standard library has no random numbers.
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
            println!("{}", legal[now.subsec_micros() as usize % legal.len()]);
        } else if line.contains("\"type\":\"quit\"") {
            break;
        }
    }
}
