package measure

import (
	"fmt"
	"strconv"
)

// Number is how many of something the environment asks for.
func Number(env func(string) string, name string, otherwise int) (int, error) {
	value := env(name)
	if value == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s=%s is not a number; give 0 or more", name, value)
	}
	return n, nil
}
