// Command foo is the controller of Foos: it keeps a Deployment for each.
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
	kubeinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"

	clientset "example.com/foo/pkg/generated/clientset/versioned"
	"example.com/foo/pkg/generated/clientset/versioned/scheme"
	informers "example.com/foo/pkg/generated/informers/externalversions"
)

type options struct {
	master, kubeconfig string
	resync             time.Duration
}

func main() {
	var o options
	klog.InitFlags(nil)
	flag.StringVar(&o.master, "master", "", "URL of the API server; overrides the one in the kubeconfig")
	flag.StringVar(&o.kubeconfig, "kubeconfig", os.Getenv("KUBECONFIG"), "path of a kubeconfig; without it, the cluster that the controller runs in")
	flag.DurationVar(&o.resync, "resync", 30*time.Second, "how often the caches are gone through again")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal finds no handler and ends the process at once
	if err := run(ctx, o); err != nil {
		klog.ErrorS(err, "Controller stopped")
		klog.FlushAndExit(klog.ExitFlushTimeout, 1)
	}
	klog.Flush()
}

func run(ctx context.Context, o options) error {
	config, err := clientcmd.BuildConfigFromFlags(o.master, o.kubeconfig)
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

	owned := kubeinformers.NewSharedInformerFactory(kube, o.resync)
	owners := informers.NewSharedInformerFactory(client, o.resync)
	c, err := newController(kube, client, owned.Apps().V1().Deployments(), owners.Samplecontroller().V1alpha1().Foos(),
		events.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "foo-controller"}))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer owned.Shutdown() // both wait for their informers, which cancel stops
	defer owners.Shutdown()
	defer cancel()
	owned.StartWithContext(ctx)
	owners.StartWithContext(ctx)
	c.run(ctx, 2)
	return nil
}
