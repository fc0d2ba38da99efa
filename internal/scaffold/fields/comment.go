// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text/goname"
)

// wellKnown is a name that Kubernetes gives to fields of one meaning.
type wellKnown struct {
	// types are those that the field has with this meaning, as --field has them, without a pointer.
	types string
	// text is what Kubernetes says of the field, from the verb on; %s is the object.
	text string
}

// inSpec are the names of fields of specs, and of the objects in them.
var inSpec = map[string]wellKnown{
	"activeDeadlineSeconds":         {"int32 int64", "is the duration in seconds that %s may be active before the controller terminates it."},
	"affinity":                      {"corev1.Affinity", "describes the scheduling constraints of the pods."},
	"args":                          {"[]string", "are the arguments to the entrypoint of the container."},
	"backoffLimit":                  {"int32 int64", "is the number of retries before %s is marked as failed."},
	"command":                       {"[]string", "is the entrypoint array of the container; it is not executed within a shell."},
	"completions":                   {"int32 int64", "is the desired number of pods that finish successfully."},
	"configMapName":                 {"string", "is the name of a ConfigMap."},
	"containers":                    {"[]corev1.Container", "is the list of containers of the pods."},
	"cronSpec":                      {"string", "is the schedule in Cron format, see https://en.wikipedia.org/wiki/Cron."},
	"env":                           {"[]corev1.EnvVar", "is the list of environment variables to set in the container."},
	"envFrom":                       {"[]corev1.EnvFromSource", "is the list of sources of environment variables to set in the container."},
	"failedJobsHistoryLimit":        {"int32 int64", "is the number of failed jobs to keep."},
	"host":                          {"string", "is the fully qualified domain name of a network host."},
	"hosts":                         {"[]string", "is the list of fully qualified domain names of network hosts."},
	"image":                         {"string", "is the name of the container image."},
	"imagePullPolicy":               {"string enum corev1.PullPolicy", "decides when the container image is pulled."},
	"imagePullSecrets":              {"[]corev1.LocalObjectReference", "is the list of secrets in the same namespace that are used to pull images."},
	"ingressClassName":              {"string", "is the name of an IngressClass."},
	"initContainers":                {"[]corev1.Container", "is the list of containers that run to completion before the other containers of the pods start."},
	"maxReplicas":                   {"int32 int64", "is the upper limit for the number of replicas."},
	"minReadySeconds":               {"int32 int64", "is the number of seconds that a new pod must be ready before it is considered available."},
	"minReplicas":                   {"int32 int64", "is the lower limit for the number of replicas."},
	"nodeSelector":                  {"map[string]string", "is a selector that must match a node's labels for the pods to be scheduled on that node."},
	"parallelism":                   {"int32 int64", "is the maximum number of pods that run at the same time."},
	"paused":                        {"bool", "indicates that %s is paused."},
	"port":                          {"int32 int64", "is the number of the port."},
	"priorityClassName":             {"string", "is the name of the PriorityClass of the pods."},
	"replicas":                      {"int32 int64", "is the desired number of replicas."},
	"resources":                     {"corev1.ResourceRequirements", "are the compute resources that the container requires."},
	"revisionHistoryLimit":          {"int32 int64", "is the number of old revisions to keep for a rollback."},
	"schedule":                      {"string", "is the schedule in Cron format, see https://en.wikipedia.org/wiki/Cron."},
	"schedulerName":                 {"string", "is the name of the scheduler that dispatches the pods."},
	"secretName":                    {"string", "is the name of a Secret."},
	"selector":                      {"metav1.LabelSelector map[string]string", "is a label query over the objects that %s selects."},
	"serviceAccountName":            {"string", "is the name of the ServiceAccount that the pods run as."},
	"startingDeadlineSeconds":       {"int32 int64", "is the deadline in seconds for starting work that missed its scheduled time."},
	"storage":                       {"resource.Quantity string", "is the amount of storage to request."},
	"storageClassName":              {"string", "is the name of a StorageClass."},
	"successfulJobsHistoryLimit":    {"int32 int64", "is the number of successfully finished jobs to keep."},
	"suspend":                       {"bool", "tells the controller to suspend its work on %s."},
	"targetPort":                    {"int32 int64 intstr.IntOrString", "is the port to access on the pods."},
	"template":                      {"corev1.PodTemplateSpec", "describes the pods that are created."},
	"terminationGracePeriodSeconds": {"int32 int64", "is the duration in seconds that the pods need to terminate gracefully."},
	"timeZone":                      {"string", "is the name of the time zone of the schedule, see https://en.wikipedia.org/wiki/List_of_tz_database_time_zones."},
	"timeoutSeconds":                {"int32 int64", "is the number of seconds after which an attempt times out."},
	"tolerations":                   {"[]corev1.Toleration", "are the tolerations of the pods."},
	"topologySpreadConstraints":     {"[]corev1.TopologySpreadConstraint", "describe how the pods are spread across topology domains."},
	"ttlSecondsAfterFinished":       {"int32 int64", "limits the lifetime of %s after it has finished."},
	"volumeMounts":                  {"[]corev1.VolumeMount", "is the list of volumes to mount into the file system of the container."},
	"volumes":                       {"[]corev1.Volume", "is the list of volumes that containers of the pods can mount."},
}

// inStatus are the names of fields of statuses.
var inStatus = map[string]wellKnown{
	"availableReplicas":  {"int32 int64", "is the number of replicas that are available."},
	"completionTime":     {"metav1.Time", "is the time at which the work on %s was completed."},
	"currentReplicas":    {"int32 int64", "is the number of replicas that were last observed."},
	"desiredReplicas":    {"int32 int64", "is the number of replicas that the controller last asked for."},
	"lastScheduleTime":   {"metav1.Time", "is the last time that %s was successfully scheduled."},
	"lastSuccessfulTime": {"metav1.Time", "is the last time that %s finished successfully."},
	"message":            {"string", "is a human-readable explanation of the state."},
	"phase":              {"string enum", "is a simple, high-level summary of where %s is in its lifecycle."},
	"readyReplicas":      {"int32 int64", "is the number of replicas that are ready."},
	"reason":             {"string enum", "is a brief CamelCase reason for the state."},
	"replicas":           {"int32 int64", "is the number of replicas that were last observed."},
	"startTime":          {"metav1.Time", "is the time at which the controller began to work on %s."},
	"updatedReplicas":    {"int32 int64", "is the number of replicas that have the current spec."},
}

// comment is what the Go file, and so kubectl explain, says of a field: what Kubernetes says where the name and the type are its own,
// or else a request to the author.
func (s *Set) comment(f *Field) string {
	known, name := inSpec[f.name], goname.Camel(f.name)
	if f.status {
		known = inStatus[f.name]
	}
	base := f.typ.base
	if f.typ.enum != nil {
		base = "enum"
	}
	if slices.Contains(strings.Fields(known.types), strings.TrimPrefix(f.typ.prefix, "*")+base) {
		return name + " " + strings.ReplaceAll(known.text, "%s", "the "+s.Kind)
	}
	return name + ": describe this field here; users read this line with kubectl explain."
}

// formerComment is the comment that the templates of revision 1 have: upgrade renders them as they were.
func (s *Set) formerComment(f *Field) string {
	verb := "are"
	if f.typ.single() {
		verb = "is"
	}
	return fmt.Sprintf("%s %s the %s.", goname.Camel(f.name), verb, strings.ToLower(strings.Join(goname.Words(f.name), " ")))
}
