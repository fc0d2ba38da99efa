package host

import (
	"sigs.k8s.io/controller-tools/pkg/applyconfiguration"
)

func init() { all["applyconfiguration"] = applyconfiguration.Generator{} }
