// Command mydemo is the controller of Mydemos.
package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/signal"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"

	clientset "example.com/mydemo/pkg/client/clientset/versioned"
	"example.com/mydemo/pkg/client/clientset/versioned/scheme"
	informers "example.com/mydemo/pkg/client/informers/externalversions"
)

func main() {
	klog.InitFlags(nil)
	master := flag.String("master", "", "URL of the API server; overrides the one in the kubeconfig")
	kubeconfig := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "path of a kubeconfig; without it, the cluster that the controller runs in")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal finds no handler and ends the process at once
	err := run(ctx, *master, *kubeconfig)
	if err != nil {
		klog.ErrorS(err, "Controller stopped")
		klog.FlushAndExit(klog.ExitFlushTimeout, 1)
	}
	klog.Flush()
}

func run(ctx context.Context, master, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags(master, kubeconfig)
	if err != nil {
		return err
	}
	kube, kubeErr := kubernetes.NewForConfig(config)
	client, err := clientset.NewForConfig(config)
	if err := errors.Join(kubeErr, err); err != nil {
		return err
	}

	// The events of work that is under way at the end are recorded, too.
	events := record.NewBroadcaster(record.WithContext(context.WithoutCancel(ctx)))
	defer events.Shutdown()
	events.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: kube.CoreV1().Events("")})
	recorder := events.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "mydemo-controller"})

	factory := informers.NewSharedInformerFactory(client, 30*time.Second)
	c, err := newController(factory.Crddemo().V1().Mydemos(), recorder)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer factory.Shutdown() // waits for the informers, which cancel stops
	defer cancel()
	factory.StartWithContext(ctx)
	c.run(ctx, 2)
	return nil
}
