package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
)

func main() {
	messages := json.NewDecoder(os.Stdin)
	for {
		var message struct {
			Type  string
			Legal []string
		}
		if messages.Decode(&message) != nil {
			return
		}
		switch message.Type {
		case "init":
			fmt.Println("ok")
		case "turn":
			fmt.Println(message.Legal[rand.Intn(len(message.Legal))])
		case "quit":
			return
		}
	}
}
