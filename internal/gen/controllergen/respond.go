// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"context"

	"github.com/crdctl/crdctl/internal/gen/controllergen/host"
	"github.com/crdctl/crdctl/internal/gen/toolchain"
)

// respond has a request answered by the engine of a version, or in this process.
func (r *runner) respond(ctx context.Context, version string, request host.Request) (host.Response, error) {
	if version == "" {
		return host.Run(ctx, request)
	}
	engine, err := toolchain.OpenControllerGen(ctx, version)
	if err != nil {
		return host.Response{}, err
	}
	return engine.Ask(ctx, r.root, request)
}
