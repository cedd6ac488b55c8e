package record_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "webmcphub/automation/automationtest"
	"webmcphub/automation/trace"
	"webmcphub/automation/trace/record"
	"webmcphub/cdpclient"
)

// differ are the states in which the hub means to differ from the engine: a set of the
// engine counts layout shifts of the document before, if they happened in its last second.
var differ = map[string]bool{"redirect NAVIGATION_1 CLSCulprits": true}

// TestSameAsChrome: what the hub reads from a trace is what Chrome's own engine reads.
func TestSameAsChrome(t *testing.T) {
	ctx := Context(t)
	e, err := record.OpenEngine(ctx, Conn(t))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if e.Version == "" {
		t.Error("no version")
	}
	files, _ := filepath.Glob("../testdata/*.json.gz")
	if len(files) == 0 {
		t.Fatal("no traces")
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json.gz")
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			ours, err := trace.Analyze(f, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = f.Seek(0, 0)
			theirs, err := e.Load(ctx, name, f)
			if err != nil {
				t.Fatal(err)
			}
			defer e.Drop(name)
			if len(ours.Sets) != len(theirs.Sets) {
				t.Fatalf("%d sets, and the engine has %d", len(ours.Sets), len(theirs.Sets))
			}
			for i, set := range ours.Sets {
				compare(t, name, set, &theirs.Sets[i])
			}
			text, err := e.Insight(ctx, name, ours.Sets[0].ID, "LCPBreakdown")
			if err != nil || !strings.Contains(text, "LCP") {
				t.Errorf("an insight: %q, %v", text, err)
			}
			if text, err := e.Insight(ctx, name, ours.Sets[0].ID, "Nonsense"); err != nil || text != "" {
				t.Errorf("no insight: %q, %v", text, err)
			}
		})
	}
}

func compare(t *testing.T, trace string, our *trace.Set, their *record.InsightSet) {
	if our.ID != their.ID || our.URL != their.URL {
		t.Errorf("%s of %s, and the engine's is %s of %s", our.ID, our.URL, their.ID, their.URL)
	}
	same := func(name string, our, their *float64) {
		if (our == nil) != (their == nil) || our != nil && math.Abs(*our-*their) > 0.01 {
			t.Errorf("%s: %s is %v, and the engine's is %v", trace, name, show(our), show(their))
		}
	}
	same("FCP", our.Metrics.FCP, their.FCP)
	same("LCP", our.Metrics.LCP, their.LCP)
	same("INP", our.Metrics.INP, their.INP)
	if !differ[trace+" "+our.ID+" CLSCulprits"] {
		same("CLS", our.Metrics.CLS, &their.CLS)
	}
	names := map[string]string{"TTFB": "ttfb", "load delay": "loadDelay", "load duration": "loadDuration", "render delay": "renderDelay"}
	if our.LCP != nil {
		if len(our.LCP.Parts) != len(their.Parts) {
			t.Errorf("%d parts of LCP, and the engine has %v", len(our.LCP.Parts), their.Parts)
		}
		for _, p := range our.LCP.Parts {
			v := their.Parts[names[p.Name]]
			same(p.Name, &p.MS, &v)
		}
	}
	for _, i := range our.Insights {
		at := slices.IndexFunc(their.Insights, func(o record.EngineInsight) bool { return o.Name == i.Name })
		if at < 0 {
			t.Errorf("the engine has no %s", i.Name)
		} else if o := their.Insights[at]; o.State != i.State && !differ[trace+" "+our.ID+" "+i.Name] {
			t.Errorf("%s %s: %s, and the engine says %s\n%s", our.ID, i.Name, i.State, o.State, i.Text(our))
		}
	}
}

func show(v *float64) any {
	if v == nil {
		return "none"
	}
	return *v
}

// TestHidden: the engine's target is no tab, and ends with it.
func TestHidden(t *testing.T) {
	ctx, conn := Context(t), Conn(t)
	e, err := record.OpenEngine(ctx, conn)
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ TargetInfos []cdpclient.TargetInfo }
	if err := conn.Call(ctx, "", "Target.getTargets", nil, &list); err != nil {
		t.Fatal(err)
	}
	for _, info := range list.TargetInfos {
		if strings.HasPrefix(info.URL, "devtools:") && info.Type != "other" {
			t.Errorf("it is a tab: %+v", info)
		}
	}
	e.Close()
	if _, err := e.Insight(ctx, "x", "y", "z"); err == nil {
		t.Error("it lives on")
	}
}
