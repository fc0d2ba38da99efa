package kubectl

import (
	"context"
	"flag"
	"io"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
)

// exit is how a command ends. kubectl's fatal paths would call os.Exit and skip everyone's defers; here they panic with
// an exit, which is no error type on purpose, so that nothing in between can take it for one.
type exit struct {
	message string
	code    int
}

// takeGlobals sets kubectl's package variables for one Run; the function returned puts them back.
func takeGlobals(ctx context.Context, errOut io.Writer) (putBack func()) {
	klogState := klog.CaptureState()
	// What -v asks for is the user's output, so it belongs to errOut, each line once, whatever the process did to klog.
	settings := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(settings)
	for name, value := range map[string]string{
		"logtostderr": "false", "alsologtostderr": "false", "stderrthreshold": "FATAL", "one_output": "true", "v": "0",
	} {
		if err := settings.Set(name, value); err != nil {
			klog.ErrorS(err, "set klog flag", "flag", name)
		}
	}
	klog.SetOutput(writerUntil{ctx, errOut})
	cmdutil.BehaviorOnFatal(func(message string, code int) { panic(exit{message, code}) })
	return func() {
		cmdutil.DefaultBehaviorOnFatal()
		rest.SetDefaultWarningHandler(rest.WarningLogger{}) // kubectl set one that writes to errOut
		klog.Flush()
		klogState.Restore()
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

// recoverExit turns the panic of a fatal end into a value. Any other panic is a bug and goes on.
func recoverExit(end *exit) {
	switch p := recover().(type) {
	case nil:
	case exit:
		*end = p
	default:
		panic(p)
	}
}

// checkErr ends the command with kubectl's own wording and code for err, if there is one.
func checkErr(err error) { cmdutil.CheckErr(err) }
