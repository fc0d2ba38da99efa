package loaderror

import "testing"

func TestNew(t *testing.T) {
	if err := New("load the API packages", "/p", "", "\n"); err != nil {
		t.Errorf("nothing said: %v", err)
	}
	err := New("load the API packages", "/p",
		"error loading packages: error(s) in \"example.com/p/api/v1\":\n/p/api/v1/types.go:18:2: expected '{', found metav1\n",
		"/p/api/v1/types.go:18:2: expected '{', found metav1\n-: go: updates to go.mod needed",
	)
	want := "load the API packages:\n  api/v1/types.go:18:2: expected '{', found metav1\n  go: updates to go.mod needed\nrun \"go mod tidy\""
	if err == nil || err.Error() != want {
		t.Errorf("error:\n%v\nwant:\n%s", err, want)
	}
}
