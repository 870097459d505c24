// A player for @GAME@.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
<<factored>>
	"strings"
<<end>>
)

type message struct {
	Type  string          `json:"type"`
	ID    int             `json:"id"`
	Game  string          `json:"game"`
	Seed  int64           `json:"seed"`
<<rows>>
	State struct {
		Rows []string `json:"@ROWS@"`
	} `json:"state"`
<<end>>
<<list>>
	Legal []string        `json:"legal"`
<<factored>>
	Legal struct {
		Directions []string `json:"directions"`
		Walls      int      `json:"walls"`
		Squares    []string `json:"squares"`
	} `json:"legal"`
<<end>>
}

// choose returns the action to play. Start here.
func choose(turn message, rng *rand.Rand) string {
<<rows>>
	// The position is in turn.State: turn.State.Rows[row][column] is a square.
<<end>>
<<list>>
	return turn.Legal[rng.Intn(len(turn.Legal))]
<<factored>>
	legal := turn.Legal
	pick := func() string { return legal.Directions[rng.Intn(len(legal.Directions))] }
	words := []string{pick(), pick()}
	for _, at := range rng.Perm(len(legal.Squares))[:legal.Walls] {
		words = append(words, legal.Squares[at])
	}
	return strings.Join(words, " ")
<<end>>
}

func main() {
	rng := rand.New(rand.NewSource(1))
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		switch m.Type {
		case "init":
			if m.Game != "@GAME@" {
				fmt.Println(`{"error":"@REFUSAL@"}`)
				continue
			}
			rng.Seed(m.Seed)
			fmt.Println("ok")
		case "turn":
			fmt.Println(choose(m, rng))
		case "quit":
			return
		} // "error" and "end" ask for no reply.
	}
}
