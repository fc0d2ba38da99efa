package gen

import (
	"errors"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/diag"
)

// schemaError adds to the error of a schema what can be done about it. Other errors it leaves alone, and those of types on which
// other generators would never end either.
func schemaError(root string, err error) error {
	if e := (*codegen.EndlessError)(nil); errors.As(err, &e) {
		return err
	}
	if e := (*codegen.SchemaError)(nil); errors.As(err, &e) {
		return diag.WithHint("build the OpenAPI schema of the apply configurations", root,
			"mend the type, or put the name of a schema of your own in applyConfigurationOpenAPISchema in the place of build, or take the setting out", e.Error())
	}
	return err
}
