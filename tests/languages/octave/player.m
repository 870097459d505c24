rand("seed", time());
while true
  message = jsondecode(input("", "s"));
  switch message.type
    case "init"
      disp("ok");
    case "turn"
      disp(message.legal{randi(numel(message.legal))});
    case "quit"
      break;
  endswitch
endwhile
