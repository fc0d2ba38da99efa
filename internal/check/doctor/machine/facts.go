// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Facts are what was read, a line each.
func (m Machine) Facts() []string {
	facts := []string{"Go: " + cmp.Or(m.Go.Version, "none in PATH")}
	if m.Go.Toolchain != "" {
		facts[0] += " (GOTOOLCHAIN=" + m.Go.Toolchain + ")"
	}
	var tools []string
	for _, t := range m.Kubectl {
		tools = append(tools, t.Path+" "+cmp.Or(t.Version, t.Problem))
	}
	facts = append(facts, "kubectl: "+cmp.Or(strings.Join(tools, ", "), "none in PATH"))
	for _, c := range m.Caches {
		about := ""
		if c.More {
			about = "at least "
		}
		facts = append(facts, fmt.Sprintf("cache of %s: %s%s in %s", c.Name, about, Bytes(uint64(max(0, c.Size))), c.Dir))
	}
	for _, d := range m.Disks {
		facts = append(facts, fmt.Sprintf("disk: %s free in %s", Bytes(d.Free), d.Dir))
	}
	if m.Inotify != nil {
		facts = append(facts, fmt.Sprintf("inotify: max_user_watches %d, max_user_instances %d", m.Inotify.Watches, m.Inotify.Instances))
	}
	var ports []string
	for _, p := range Ports {
		state := "free"
		if slices.Contains(m.Taken, p) {
			state = "taken"
		}
		ports = append(ports, fmt.Sprintf("%d %s", p, state))
	}
	return append(facts, "ports: "+strings.Join(ports, ", "))
}

// Bytes is a number of bytes as people write it.
func Bytes(n uint64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	value, unit := float64(n), 0
	for value >= 1024 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", value, units[unit])
}
