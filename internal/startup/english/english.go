// SPDX-License-Identifier: Apache-2.0

// Package english keeps kubectl's packages from loading translations while they are initialised, before main
// and in every command: 13 ms for unpacking a catalogue in which, in English, each text stands for itself. The
// rest of crdctl speaks English only, so the embedded kubectl does too. Import it for that effect.
//
// It is not a translation mechanism. kubectl asks for its loader to be set in the init of a package that is
// initialised before any that translates; this one is, because it imports nothing else and Go initialises
// packages in the order of their import paths as soon as their imports are ready.
package english

import "k8s.io/kubectl/pkg/util/i18n"

func init() {
	// The error says that translations are loaded already: slower, and no other harm. The test would tell.
	_ = i18n.SetLoadTranslationsFunc(func() error { return nil })
}
