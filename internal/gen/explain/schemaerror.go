// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"errors"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/diag"
)

// SchemaError adds to the error of a schema what can be done about it. Other errors it leaves alone, and those of types on which
// other generators would never end either.
func SchemaError(root string, err error) error {
	if _, ok := errors.AsType[*codegen.EndlessError](err); ok {
		return err
	}
	if e, ok := errors.AsType[*codegen.SchemaError](err); ok {
		return diag.WithHint("cannot build the OpenAPI schema of the apply configurations", root,
			"correct the type, or name a schema of your own instead of build in applyConfigurationOpenAPISchema, or remove the setting", e.Error())
	}
	return err
}
