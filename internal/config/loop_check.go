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
			report(field, "there is a template too, and one thing decides on an object; leave out the one or the other")
		case l.Hook == "":
			report(field, "there is no hook for objects that are not being deleted; name it as hook, it may be the same program")
		}
	}
	if l.Persistent {
		switch c, err := ParseCommand(l.Hook); {
		case l.Hook == "":
			report("loop.persistent", "there is no hook whose program would be kept running; name it as hook, or leave persistent out")
		case err == nil && c.URL != "":
			report("loop.persistent", "the hook is a URL, and only a program can be kept running; leave persistent out")
		}
	}
	if !l.Decides() && len(l.Owns) > 0 {
		report("loop.owns", "nothing decides on children; name a hook or a template")
	}
	if l.CustomizeHook == "" && l.Template == "" && len(l.Related) > 0 {
		report("loop.related", "nothing asks for related objects; name a customizeHook or a template")
	}
	for field, texts := range map[string][]string{"loop.owns": l.Owns, "loop.related": l.Related} {
		seen := map[ObjectKind]bool{}
		for i, text := range texts {
			k, err := ParseObjectKind(text)
			k.Plural = ""
			if err == nil && seen[k] {
				report(fmt.Sprintf("%s[%d]", field, i), "%q is there already; name each kind once", text)
			}
			seen[k] = true
		}
	}
	if l.RetryLast > 0 && l.RetryLast < l.RetryFirst {
		report("loop.retryLast", "%s is less than the first wait, %s; write for example 30s", l.RetryLast, l.RetryFirst)
	}
}
