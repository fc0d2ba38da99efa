// SPDX-License-Identifier: Apache-2.0

package config

import "fmt"

// Check reports all that is wrong with the settings, by the fields' names in the file, such as loop.timeout or loop.owns[1]. Flags
// that were put over the settings are checked with it too, so that both are held to the same.
func (l *Loop) Check(report func(field, format string, args ...any)) {
	p := &Project{Loop: *l}
	for _, s := range loopSettings {
		s.check(p, report)
	}
	l.checkTogether(report)
}

// checkTogether checks what concerns several settings.
func (l *Loop) checkTogether(report func(field, format string, args ...any)) {
	for field, text := range map[string]string{"loop.hook": l.Hook, "loop.finalizeHook": l.FinalizeHook, "loop.customizeHook": l.CustomizeHook} {
		switch {
		case text == "":
		case l.Template != "":
			report(field, "cannot be used with a template; remove the hook or the template")
		case l.Hook == "":
			report(field, "requires loop.hook (--hook), which may be the same program")
		}
	}
	if l.Persistent {
		switch c, err := ParseCommand(l.Hook); {
		case l.Hook == "":
			report("loop.persistent", "requires loop.hook (--hook); set it, or remove persistent")
		case err == nil && c.URL != "":
			report("loop.persistent", "requires a program as the hook, not a URL; remove persistent")
		}
	}
	if !l.Decides() && len(l.Owns) > 0 {
		report("loop.owns", "a hook or a template is required; set one")
	}
	if l.CustomizeHook == "" && l.Template == "" && len(l.Related) > 0 {
		report("loop.related", "requires loop.customizeHook (--customize-hook) or loop.template (--template); set one")
	}
	for field, texts := range map[string][]string{"loop.owns": l.Owns, "loop.related": l.Related} {
		seen := map[ObjectKind]bool{}
		for i, text := range texts {
			k, err := ParseObjectKind(text)
			k.Plural = ""
			if err == nil && seen[k] {
				report(fmt.Sprintf("%s[%d]", field, i), "%q is given twice; name each kind once", text)
			}
			seen[k] = true
		}
	}
	if l.RetryLast > 0 && l.RetryLast < l.RetryFirst {
		report("loop.retryLast", "%s is shorter than the first delay, %s; write for example 30s", l.RetryLast, l.RetryFirst)
	}
}
