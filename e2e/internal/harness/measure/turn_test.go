package measure

import "testing"

func TestTurn(t *testing.T) {
	var firsts []int
	for round := range 4 {
		order := Turn(round, 3)
		firsts = append(firsts, order[0])
		seen := map[int]bool{}
		for _, i := range order {
			seen[i] = true
		}
		if len(order) != 3 || len(seen) != 3 {
			t.Errorf("round %d: %v", round, order)
		}
	}
	if firsts[0] != 0 || firsts[1] != 1 || firsts[2] != 2 || firsts[3] != 0 {
		t.Errorf("first in each round: %v", firsts)
	}
}
