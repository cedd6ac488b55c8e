package deploytest

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// kinds are the objects that the manifests may have, each with its Go type.
var kinds = map[string]func() metav1.Object{
	"v1 Namespace":                           func() metav1.Object { return &corev1.Namespace{} },
	"v1 Service":                             func() metav1.Object { return &corev1.Service{} },
	"apps/v1 StatefulSet":                    func() metav1.Object { return &appsv1.StatefulSet{} },
	"apps/v1 Deployment":                     func() metav1.Object { return &appsv1.Deployment{} },
	"policy/v1 PodDisruptionBudget":          func() metav1.Object { return &policyv1.PodDisruptionBudget{} },
	"autoscaling/v2 HorizontalPodAutoscaler": func() metav1.Object { return &autoscalingv2.HorizontalPodAutoscaler{} },
	"networking.k8s.io/v1 NetworkPolicy":     func() metav1.Object { return &networkingv1.NetworkPolicy{} },
}

// built are the objects that kubectl apply -k makes of a folder, decoded strictly: a field that
// Kubernetes doesn't know, or has twice, is an error.
func built(t *testing.T, folder string) (all []metav1.Object) {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range resources.Resources() {
		text, err := r.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		kind := r.GetApiVersion() + " " + r.GetKind()
		into, ok := kinds[kind]
		if !ok {
			t.Errorf("%s: %s isn't one of the kinds %q", folder, kind, slices.Sorted(maps.Keys(kinds)))
			continue
		}
		o := into()
		if err := yaml.UnmarshalStrict(text, o); err != nil {
			t.Errorf("%s: %s %s: %v", folder, kind, r.GetName(), err)
			continue
		}
		all = append(all, o)
	}
	return all
}

// of are the objects of one type.
func of[T metav1.Object](all []metav1.Object) (some []T) {
	for _, o := range all {
		if o, ok := o.(T); ok {
			some = append(some, o)
		}
	}
	return some
}

// workload is a Deployment or a StatefulSet.
type workload struct {
	kind, name string
	selector   *metav1.LabelSelector
	template   corev1.PodTemplateSpec
	claims     []corev1.PersistentVolumeClaim
}

func workloads(all []metav1.Object) (some []workload) {
	for _, d := range of[*appsv1.Deployment](all) {
		some = append(some, workload{"Deployment", d.Name, d.Spec.Selector, d.Spec.Template, nil})
	}
	for _, s := range of[*appsv1.StatefulSet](all) {
		some = append(some, workload{"StatefulSet", s.Name, s.Spec.Selector, s.Spec.Template, s.Spec.VolumeClaimTemplates})
	}
	return some
}

var folders = []string{"../kubernetes/base", "../kubernetes/three-etcds", "../kubernetes/without-sandbox"}

func TestManifests(t *testing.T) {
	for _, folder := range folders {
		all := built(t, folder)
		found := workloads(all)
		if len(all) < 16 || len(found) != 3 {
			t.Errorf("%s has %d objects, and %d that run something", folder, len(all), len(found))
		}
		for _, w := range found {
			for _, wrong := range w.mistakes() {
				t.Errorf("%s: %s %s: %s", folder, w.kind, w.name, wrong)
			}
		}
		for _, wrong := range slices.Concat(services(all, found), others(all, found)) {
			t.Errorf("%s: %s", folder, wrong)
		}
	}
}

// mistakes are what strict decoding doesn't see, and the rules of Pod Security's "restricted".
func (w workload) mistakes() (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if !selects(w.selector, w.template.Labels) {
		say("its selector isn't its pods' labels")
	}
	pod := w.template.Spec
	s := pod.SecurityContext
	if s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot || s.RunAsUser == nil || *s.RunAsUser == 0 || s.SeccompProfile == nil || s.SeccompProfile.Type == corev1.SeccompProfileTypeUnconfined {
		say("its pods may run as root, or without a seccomp profile")
	}
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
		say("its pods get a token for Kubernetes, which they don't need")
	}
	volumes := map[string]bool{}
	for _, v := range pod.Volumes {
		volumes[v.Name] = false // as long as nobody mounts it
	}
	for _, c := range w.claims {
		volumes[c.Name] = false
	}
	for _, c := range pod.Containers {
		s := c.SecurityContext
		if s == nil || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation || s.Capabilities == nil || !slices.Contains(s.Capabilities.Drop, "ALL") || len(s.Capabilities.Add) > 0 {
			say("%s may get more rights than it has", c.Name)
		}
		if s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem {
			say("%s may write its root file system", c.Name)
		}
		if c.Resources.Limits.Memory().IsZero() || c.Resources.Requests.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero() {
			say("%s doesn't say what it needs", c.Name)
		}
		if c.LivenessProbe == nil || c.ReadinessProbe == nil || c.StartupProbe == nil {
			say("%s lacks a probe", c.Name)
		}
		ports := map[string]bool{}
		for _, p := range c.Ports {
			ports[p.Name] = true
		}
		for _, p := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
			if p != nil && p.HTTPGet != nil && !ports[p.HTTPGet.Port.StrVal] {
				say("a probe of %s goes to a port %q that it hasn't", c.Name, p.HTTPGet.Port.String())
			}
		}
		known := map[string]bool{}
		for _, e := range c.Env {
			known[e.Name] = true
		}
		for _, m := range c.VolumeMounts {
			if _, is := volumes[m.Name]; !is {
				say("%s mounts %q, which there isn't", c.Name, m.Name)
			}
			volumes[m.Name] = true
			wrong = append(wrong, unset(known, m.SubPathExpr)...)
		}
		wrong = append(wrong, unset(known, strings.Join(c.Args, " "))...)
	}
	for name, mounted := range volumes {
		if !mounted {
			say("nobody mounts %q", name)
		}
	}
	return wrong
}

// unset are the $(VARIABLES) of a text that aren't known: Kubernetes leaves those as they are.
func unset(known map[string]bool, text string) (wrong []string) {
	for _, part := range strings.Split(text, "$(")[1:] {
		if name, _, _ := strings.Cut(part, ")"); !known[name] {
			wrong = append(wrong, fmt.Sprintf("$(%s) is used and not set", name))
		}
	}
	return wrong
}

func selects(s *metav1.LabelSelector, of map[string]string) bool {
	selector, err := metav1.LabelSelectorAsSelector(s)
	return err == nil && !selector.Empty() && selector.Matches(labels.Set(of))
}

// services finds Services without pods, ports that no container has, and StatefulSets without a
// Service.
func services(all []metav1.Object, found []workload) (wrong []string) {
	names := map[string]bool{}
	for _, s := range of[*corev1.Service](all) {
		names[s.Name] = true
		i := slices.IndexFunc(found, func(w workload) bool {
			return labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(w.template.Labels))
		})
		if i < 0 || len(s.Spec.Selector) == 0 {
			wrong = append(wrong, fmt.Sprintf("Service %s has no pods", s.Name))
			continue
		}
		for _, p := range s.Spec.Ports {
			if !slices.ContainsFunc(found[i].template.Spec.Containers[0].Ports, func(c corev1.ContainerPort) bool { return c.Name == p.TargetPort.StrVal }) {
				wrong = append(wrong, fmt.Sprintf("Service %s leads to a port %q that %s hasn't", s.Name, p.TargetPort.String(), found[i].name))
			}
		}
	}
	for _, s := range of[*appsv1.StatefulSet](all) {
		if !names[s.Spec.ServiceName] {
			wrong = append(wrong, fmt.Sprintf("StatefulSet %s names a Service %q that there isn't", s.Name, s.Spec.ServiceName))
		}
	}
	return wrong
}

// others finds budgets, policies and autoscalers that are for nobody, and workloads that lack one.
func others(all []metav1.Object, found []workload) (wrong []string) {
	budgets, policies := map[string]int{}, map[string]int{}
	count := func(of map[string]int, what, name string, s *metav1.LabelSelector) {
		before := len(wrong)
		wrong = append(wrong, what+" "+name+" is for no pods")
		for _, w := range found {
			if selects(s, w.template.Labels) {
				of[w.name]++
				wrong = wrong[:before]
			}
		}
	}
	for _, b := range of[*policyv1.PodDisruptionBudget](all) {
		count(budgets, "PodDisruptionBudget", b.Name, b.Spec.Selector)
	}
	everybody := false
	for _, p := range of[*networkingv1.NetworkPolicy](all) {
		if len(p.Spec.PodSelector.MatchLabels)+len(p.Spec.PodSelector.MatchExpressions) == 0 {
			everybody = true
			continue
		}
		count(policies, "NetworkPolicy", p.Name, &p.Spec.PodSelector)
		wrong = append(wrong, closed(p, found)...)
	}
	for _, w := range found {
		if budgets[w.name] != 1 || policies[w.name] != 1 || !everybody {
			wrong = append(wrong, fmt.Sprintf("%s has %d PodDisruptionBudgets and %d NetworkPolicies, not one of each beside that for everybody", w.name, budgets[w.name], policies[w.name]))
		}
	}
	for _, h := range of[*autoscalingv2.HorizontalPodAutoscaler](all) {
		to := h.Spec.ScaleTargetRef
		if !slices.ContainsFunc(found, func(w workload) bool { return w.kind == to.Kind && w.name == to.Name }) {
			wrong = append(wrong, fmt.Sprintf("the autoscaler %s is for a %s %s that there isn't", h.Name, to.Kind, to.Name))
		}
		if h.Spec.MinReplicas == nil || *h.Spec.MinReplicas > h.Spec.MaxReplicas || len(h.Spec.Metrics) == 0 {
			wrong = append(wrong, fmt.Sprintf("the autoscaler %s has no range, or nothing to go by", h.Name))
		}
	}
	return wrong
}

// closed are ports that a policy opens, and its pods don't have.
func closed(p *networkingv1.NetworkPolicy, found []workload) (wrong []string) {
	for _, w := range found {
		if !selects(&p.Spec.PodSelector, w.template.Labels) {
			continue
		}
		for _, rule := range p.Spec.Ingress {
			for _, port := range rule.Ports {
				if !slices.ContainsFunc(w.template.Spec.Containers[0].Ports, func(c corev1.ContainerPort) bool { return c.ContainerPort == port.Port.IntVal }) {
					wrong = append(wrong, fmt.Sprintf("NetworkPolicy %s opens port %s, which %s hasn't", p.Name, port.Port, w.name))
				}
			}
		}
	}
	return wrong
}

// TestSecrets: what the pods take from Secrets is what README.md says how to make.
func TestSecrets(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range workloads(built(t, folders[0])) {
		for _, v := range w.template.Spec.Volumes {
			if v.Secret != nil && !strings.Contains(string(readme), "create secret generic "+v.Secret.SecretName+" ") {
				t.Errorf("%s wants the Secret %s, of which README.md doesn't say how it is made", w.name, v.Secret.SecretName)
			}
		}
	}
}

// TestEtcdFlags: the etcd of the image, where it is installed, has the flags that it is started with.
func TestEtcdFlags(t *testing.T) {
	help, err := exec.Command("etcd", "--help").CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("etcd isn't installed")
	}
	for _, w := range workloads(built(t, folders[1])) {
		for _, a := range w.template.Spec.Containers[0].Args {
			if flag, _, _ := strings.Cut(a, "="); w.name == "etcd" && !strings.Contains(string(help), flag+" ") {
				t.Errorf("etcd has no %s", flag)
			}
		}
	}
}

// TestEtcdMembers: where etcd has several members, gateways and nodes know all of them by name. Who has one
// address for all is connected to one of them, and waits with it when it hangs.
func TestEtcdMembers(t *testing.T) {
	for _, folder := range folders {
		all := built(t, folder)
		members := 0
		for _, s := range of[*appsv1.StatefulSet](all) {
			if s.Name == "etcd" {
				members = int(*s.Spec.Replicas)
			}
		}
		if members == 0 {
			t.Errorf("%s: etcd has no members", folder)
		}
		for _, w := range workloads(all) {
			args := w.template.Spec.Containers[0].Args
			for i := range members {
				flag := fmt.Sprintf("--etcd=https://etcd-%d.etcd.webmcp.svc:2379", i)
				if w.name != "etcd" && members > 1 && !slices.Contains(args, flag) {
					t.Errorf("%s: %s lacks %s", folder, w.name, flag)
				}
			}
		}
	}
}

// TestReplicas: who applies the manifests again doesn't reset what an autoscaler has set.
func TestReplicas(t *testing.T) {
	for _, folder := range folders {
		all := built(t, folder)
		for _, h := range of[*autoscalingv2.HorizontalPodAutoscaler](all) {
			for _, s := range of[*appsv1.StatefulSet](all) {
				if s.Name == h.Spec.ScaleTargetRef.Name && s.Spec.Replicas != nil {
					t.Errorf("%s: %s has %d replicas, and an autoscaler", folder, s.Name, *s.Spec.Replicas)
				}
			}
		}
	}
}

// TestNames: pods whose connections are limited reach the cluster's DNS and a cache of it on their machine.
func TestNames(t *testing.T) {
	for _, p := range of[*networkingv1.NetworkPolicy](built(t, folders[0])) {
		if !slices.Contains(p.Spec.PolicyTypes, networkingv1.PolicyTypeEgress) {
			continue
		}
		pods, cache := false, false
		for _, rule := range p.Spec.Egress {
			if !slices.ContainsFunc(rule.Ports, func(p networkingv1.NetworkPolicyPort) bool { return p.Port.IntVal == 53 }) {
				continue
			}
			for _, to := range rule.To {
				pods = pods || to.NamespaceSelector != nil && to.NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"] == "kube-system"
				cache = cache || to.IPBlock != nil && to.IPBlock.CIDR == "169.254.20.10/32"
			}
		}
		if !pods || !cache {
			t.Errorf("pods of %s reach the cluster's DNS: %v, and the machine's: %v", p.Name, pods, cache)
		}
	}
}

// TestScraped: Prometheus asks each pod at one port, which its network policy opens, and there is an alert for each
// kind of pod that is gone altogether.
func TestScraped(t *testing.T) {
	text, err := os.ReadFile("../prometheus/scrape.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var jobs []struct {
		Relabel []struct {
			SourceLabels []string `json:"source_labels"`
			Regex        string   `json:"regex"`
			Action       string   `json:"action"`
		} `json:"relabel_configs"`
	}
	if err := yaml.Unmarshal(text, &jobs); err != nil || len(jobs) != 1 {
		t.Fatalf("%d jobs (%v)", len(jobs), err)
	}
	var keep *regexp.Regexp
	for _, r := range jobs[0].Relabel {
		if r.Action == "keep" && slices.Equal(r.SourceLabels, []string{"__meta_kubernetes_pod_container_port_name"}) {
			keep = regexp.MustCompile("^(?:" + r.Regex + ")$") // as Prometheus anchors it
		}
	}
	if keep == nil {
		t.Fatal("all ports are kept")
	}
	alerts, err := os.ReadFile("../prometheus/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := built(t, folders[0])
	for _, w := range workloads(all) {
		var ports []int32
		for _, p := range w.template.Spec.Containers[0].Ports {
			if keep.MatchString(p.Name) {
				ports = append(ports, p.ContainerPort)
			}
		}
		if len(ports) != 1 {
			t.Errorf("%s is asked at %v", w.name, ports)
			continue
		}
		open := false
		for _, p := range of[*networkingv1.NetworkPolicy](all) {
			for _, rule := range p.Spec.Ingress {
				open = open || selects(&p.Spec.PodSelector, w.template.Labels) &&
					slices.ContainsFunc(rule.Ports, func(p networkingv1.NetworkPolicyPort) bool { return p.Port.IntVal == ports[0] }) &&
					slices.ContainsFunc(rule.From, func(p networkingv1.NetworkPolicyPeer) bool {
						return p.NamespaceSelector != nil && p.NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"] == "monitoring"
					})
			}
		}
		if !open {
			t.Errorf("no network policy lets Prometheus ask %s at %d", w.name, ports[0])
		}
		gone := fmt.Sprintf("absent(up{job=%q,component=%q})", "webmcp-hub", w.name)
		if w.name == "etcd" {
			gone = `absent(etcd_server_has_leader{job="webmcp-hub"})`
		}
		if !strings.Contains(string(alerts), gone) {
			t.Errorf("no alert fires when %s is gone altogether", w.name)
		}
	}
}
