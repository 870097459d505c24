<?php
while (($line = fgets(STDIN)) !== false) {
    $message = json_decode($line, true);
    if ($message["type"] === "init") {
        echo "ok\n";
    } elseif ($message["type"] === "turn") {
        echo $message["legal"][array_rand($message["legal"])], "\n";
    } elseif ($message["type"] === "quit") {
        break;
    }
}
