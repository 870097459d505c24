declare const require: any, process: any;

interface Message {
  type: string;
  legal: string[];
}

const lines = require("readline").createInterface({ input: process.stdin });

lines.on("line", (line: string) => {
  const message: Message = JSON.parse(line);
  if (message.type === "init") {
    console.log("ok");
  } else if (message.type === "turn") {
    console.log(message.legal[Math.floor(Math.random() * message.legal.length)]);
  } else if (message.type === "quit") {
    process.exit();
  }
});
