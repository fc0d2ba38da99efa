package measure

// Turn is the order of n things in a round.
func Turn(round, n int) (order []int) {
	for i := range n {
		order = append(order, (i+round)%n)
	}
	return order
}
