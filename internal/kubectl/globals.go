// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"io"

	"k8s.io/client-go/rest"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/crdctl/crdctl/internal/logging"
)

// exit is how a command ends.
type exit struct {
	message string
	code    int
}

// takeGlobals sets kubectl's package variables for one Run; putBack puts them back. The first fatal end, in whatever
// goroutine of kubectl, comes as a value on ends.
func takeGlobals(ctx context.Context, errOut io.Writer) (ends chan exit, putBack func()) {
	// What -v asks for is the user's output, so it belongs to errOut, whatever the process did to klog.
	restore := logging.Redirect(writerUntil{ctx, errOut})
	// kubectl's fatal paths would call os.Exit: nothing runs after them. So that nothing does here either, the goroutine
	// stays where it is.
	ends = make(chan exit, 1)
	cmdutil.BehaviorOnFatal(func(message string, code int) {
		select {
		case ends <- exit{message, code}:
		default:
		}
		select {}
	})
	return ends, func() {
		cmdutil.DefaultBehaviorOnFatal()
		rest.SetDefaultWarningHandler(rest.WarningLogger{}) // kubectl set one that writes to errOut
		restore()
	}
}

// writerUntil falls silent when ctx is done: what client-go then says is about requests that ctx cut off.
type writerUntil struct {
	ctx context.Context
	out io.Writer
}

// Write implements io.Writer.
func (w writerUntil) Write(p []byte) (int, error) {
	if w.ctx.Err() != nil {
		return len(p), nil
	}
	return w.out.Write(p)
}

// checkErr ends the command with kubectl's own wording and code for err, if there is one.
func checkErr(err error) { cmdutil.CheckErr(err) }
