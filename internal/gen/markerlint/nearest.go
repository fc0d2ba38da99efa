package markerlint

import "strings"

// nearest is the known name that a misspelt one was surely meant to be, or "".
func nearest(name string, names []string) string {
	best, least := "", 1<<30
	for _, n := range names {
		if n == name || plain(n) == plain(name) {
			return n
		}
		if d := distance(strings.ToLower(name), strings.ToLower(n)); d < least && d <= tolerance(name, n) {
			best, least = n, d
		}
	}
	return best
}

// tolerance is how many slips two names may be apart and still be the same word. What comes before the last colon is
// the same in many names, and makes none of them alike.
func tolerance(a, b string) int {
	deep := strings.Count(b, ":") > 1 // then there are few of its length beside it
	a, b = last(a), last(b)
	short := min(len(a), len(b))
	switch {
	case short < 4 && !deep, short < 2, opposite(a, b):
		return 0
	case short < 8:
		return 1
	default:
		return 2
	}
}

func last(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

// opposite tells words that differ in one syllable and in all of their meaning.
func opposite(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	for _, pair := range [][2]string{{"min", "max"}, {"least", "most"}, {"and", "or"}} {
		for _, p := range [][2]string{pair, {pair[1], pair[0]}} {
			if strings.Contains(a, p[0]) && strings.Replace(a, p[0], p[1], 1) == b {
				return true
			}
		}
	}
	return false
}

// distance counts the letters to put in, take out, exchange or swap with their neighbour to get from a to b.
func distance(a, b string) int {
	if d := len(a) - len(b); d > 3 || d < -3 {
		return 1 << 20 // far enough for everyone
	}
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	var older []int
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		older, before = before, row
		row = make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(before[j]+1, row[j-1]+1, before[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
