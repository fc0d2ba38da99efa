package fields

import "strings"

// nearest is the name that a misspelt one was surely meant to be, or empty. Names are compared without their case, and
// a type that is written without its package is found.
func nearest(name string, names []string) string {
	best, least := "", 3
	if len(name) < 5 {
		least = 2
	}
	for _, n := range names {
		_, bare, _ := strings.Cut(n, ".")
		if name != "" && (strings.EqualFold(n, name) || strings.EqualFold(bare, name)) {
			return n
		}
		if d := distance(strings.ToLower(name), strings.ToLower(n)); d < least {
			best, least = n, d
		}
	}
	return best
}

// distance counts the letters to put in, take out or exchange to get from a to b.
func distance(a, b string) int {
	if d := len(a) - len(b); d > 3 || d < -3 {
		return 1 << 20 // far enough
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
