package gotemplate

import (
	"fmt"
	"strings"
)

const (
	maxCount  = 100_000 // of what until and seq count: a number in an object must not become all of the memory
	maxRepeat = 1 << 20 // bytes that repeat makes
	maxIndent = 1000
)

// whole are numbers as templates have them: a whole number of the request is an int64, one in the template an int. Functions that
// take an int could not be given the former.
func whole(values ...any) ([]int, error) {
	numbers := make([]int, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case int:
			numbers[i] = v
		case int64:
			numbers[i] = int(v)
		default:
			return nil, fmt.Errorf("%v is no whole number; make it one with int", v)
		}
	}
	return numbers, nil
}

func until(end any) ([]int, error) {
	n, err := whole(end)
	if err != nil {
		return nil, err
	}
	return count(0, n[0], sign(n[0]))
}

func untilStep(start, end, step any) ([]int, error) {
	n, err := whole(start, end, step)
	if err != nil {
		return nil, err
	}
	return count(n[0], n[1], n[2])
}

func count(start, end, step int) ([]int, error) {
	numbers := []int{}
	for i := start; step > 0 && i < end || step < 0 && i > end; i += step {
		if len(numbers) == maxCount {
			return nil, fmt.Errorf("counts further than %d; count less", maxCount)
		}
		numbers = append(numbers, i)
	}
	return numbers, nil
}

// seq is sprig's: 1 to END, START to END, or START to END by a STEP in the middle, as text.
func seq(values ...any) (string, error) {
	n, err := whole(values...)
	if err != nil {
		return "", err
	}
	switch len(n) {
	case 1:
		n = []int{1, sign(n[0] - 1), n[0]}
	case 2:
		n = []int{n[0], sign(n[1] - n[0]), n[1]}
	case 3:
	default:
		return "", nil
	}
	numbers, err := count(n[0], n[2]+sign(n[1]), n[1])
	return strings.Trim(fmt.Sprint(numbers), "[]"), err
}

func repeat(times any, s string) (string, error) {
	n, err := whole(times)
	if err != nil {
		return "", err
	}
	if n[0] > 0 && len(s) > maxRepeat/n[0] {
		return "", fmt.Errorf("repeats to more than %d bytes; repeat less", maxRepeat)
	}
	return strings.Repeat(s, max(n[0], 0)), nil
}

func indent(by any, s string) (string, error) {
	n, err := whole(by)
	if err != nil {
		return "", err
	}
	if n[0] < 0 || n[0] > maxIndent {
		return "", fmt.Errorf("indents by %d; indent by 0 to %d", n[0], maxIndent)
	}
	pad := strings.Repeat(" ", n[0])
	return pad + strings.ReplaceAll(s, "\n", "\n"+pad), nil
}

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}
