// SPDX-License-Identifier: Apache-2.0

package record

import (
	"strings"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/trace"
)

// Agent is the end of the user agent of the recorder's own requests, which are not recorded, and Bootstrap that of those
// that create what every cluster has, of which the versions are known but not recorded.
const (
	Agent     = "crdctl-recorder"
	Bootstrap = "bootstrap"
)

// apiServer is the name of the API server's own requests.
const apiServer = "kube-apiserver"

// maxAgent bounds what is kept of a user agent, in bytes.
const maxAgent = 64

// users are those of the control plane's own credentials.
type users struct{ admin, controller, system string }

// actor returns who sent a request. The credential counts first, and then the user agent.
func (r *Recorder) actor(user, agent string) trace.Actor {
	product, _, _ := strings.Cut(agent, "/")
	product = text.Cut(product, maxAgent)
	if user == "" { // any client: a definition for each agent that it invents would never go
		return trace.Actor{Name: "unauthenticated", Class: trace.ClassOther}
	}
	a := trace.Actor{Name: product, Class: trace.ClassOther, User: user, Agent: product}
	if a.Name == "" {
		a.Name = "unknown"
	}
	switch {
	case user == r.users.system:
		a.Class, a.Name, a.Agent = trace.ClassSystem, apiServer, apiServer
		if i := strings.LastIndexByte(agent, '/'); i >= 0 && i+1 < len(agent) && agent[i+1] != '$' {
			a.Name = text.Cut(agent[i+1:], maxAgent)
			a.Agent = a.Name
		}
	case product == "crdctl-loop":
		a.Class = trace.ClassBuiltin
	case user != r.users.controller && product == "kubectl":
		a.Class = trace.ClassKubectl
	case user == r.users.controller || user != r.users.admin && r.isController(user):
		a.Class, a.Name = trace.ClassController, "controller"
		if r.Controller != nil {
			c := r.Controller()
			a.Build, a.PID = c.Build, c.PID
			if c.Name != "" {
				a.Name = c.Name
			}
		}
		a.Agent = a.Name // the binary's name may be that of a build
	case user == r.users.admin && product == "crdctl":
		a.Class = trace.ClassCrdctl
	}
	return a
}

func (r *Recorder) isController(user string) bool {
	if r.IsController != nil {
		return r.IsController(user)
	}
	return strings.HasPrefix(user, "system:serviceaccount:")
}
