const lines = require("readline").createInterface({ input: process.stdin });

lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "init") {
    console.log("ok");
  } else if (message.type === "turn") {
    const legal = message.legal;
    console.log(legal[Math.floor(Math.random() * legal.length)]);
  } else if (message.type === "quit") {
    process.exit();
  }
});
