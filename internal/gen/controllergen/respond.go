package controllergen

import (
	"context"
	"fmt"

	"github.com/crdctl/crdctl/internal/gen/controllergen/host"
)

// respond has a request answered by the engine of a version, or in this process.
func respond(ctx context.Context, version string, request host.Request) (host.Response, error) {
	if version == "" {
		return host.Run(ctx, request)
	}
	return host.Response{}, fmt.Errorf("controller-gen %s: crdctl cannot run this version", version)
}
