package main

import (
	"encoding/json"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// requestPatience bounds a request: the API server may be killed while it is on its way.
const requestPatience = 20 * time.Second

func decodeList[T any](data []byte) ([]T, error) {
	var l list[T]
	err := json.Unmarshal(data, &l)
	return l.Items, err
}

func isNotFound(err error) bool { return apierrors.IsNotFound(err) }
