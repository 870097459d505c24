require "json"

while line = gets
  message = JSON.parse(line)
  case message["type"]
  when "init"
    puts "ok"
  when "turn"
    puts message["legal"].as_a.sample
  when "quit"
    break
  end
end
