// SPDX-License-Identifier: Apache-2.0

package doctor

// YAMLFile is a YAML file of the project, perhaps a template.
type YAMLFile struct {
	Path string
	Data []byte
}
