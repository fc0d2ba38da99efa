// SPDX-License-Identifier: Apache-2.0

package run

import (
	"errors"
	"io/fs"
	"reflect"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/ui"
)

// settings are those of crdctl.yaml that a run uses for as long as it lasts: all but the record of the scaffold, which is for
// other commands.
type settings struct {
	project *config.Project // nil where there was no crdctl.yaml
	broken  bool            // as it is now
}

func settingsOf(root string) settings {
	p, err := loadSettings(root)
	return settings{project: p, broken: err != nil}
}

// loadSettings returns nil for a project without crdctl.yaml.
func loadSettings(root string) (*config.Project, error) {
	p, err := config.Load(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	p.Scaffold = nil
	for i := range p.ControllerGen.Calls {
		p.ControllerGen.Calls[i].Place = "" // the same call may be on another line
	}
	return p, nil
}

// changed says what a save of crdctl.yaml means for the run; nothing, where it means nothing.
func (s *settings) changed(root string, reporter ui.Reporter) {
	now, err := loadSettings(root)
	was := s.broken
	s.broken = err != nil
	switch {
	case err != nil:
		reporter.Note("%v", err)
		reporter.Note("the run continues with the settings that it started with")
	case !reflect.DeepEqual(now, s.project):
		reporter.Note("%s changed; restart crdctl run (stop it with Ctrl-C) to apply it: new webhooks, for example, are not served before", config.FileName)
	case was:
		reporter.Note("%s is valid again", config.FileName)
	}
}
