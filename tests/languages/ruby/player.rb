require "json"

while (line = gets)
  message = JSON.parse(line)
  case message["type"]
  when "init"
    puts "ok"
  when "turn"
    puts message["legal"].sample
  when "quit"
    break
  end
  $stdout.flush
end
