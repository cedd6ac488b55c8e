package automation

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/page"
)

// TestAFrameThatHangsHoldsNothingUp: a frame in another process whose script keeps that busy
// from its start holds up nothing that is done elsewhere in the page, whether it came before
// the hub looked at the tab or after. When it goes on, it is read like others.
func TestAFrameThatHangsHoldsNothingUp(t *testing.T) {
	t.Parallel()
	// Hosts of their own, as frames of one host may share a process.
	for when, host := range map[string]string{"before the hub": "busy1", "after the hub": "busy2"} {
		t.Run(when, func(t *testing.T) {
			r := openReal(t, automationtest.Pages{
				"/":     `<button onclick="pressed = true">Save</button><input aria-label=Name><script>var pressed = false</script>`,
				"/busy": `<script>` + automationtest.Stalls + `</script><p>awake`,
			})
			_, goOn := r.Site.Stall()
			defer goOn()
			if when == "after the hub" {
				js[int](r, "1")
			}
			automationtest.JS[int](r.Tab, "(document.body.append(Object.assign(document.createElement('iframe'), {src: "+strconv.Quote(r.Site.URL(host, "/busy"))+"})), 1)")
			r.awaitFrame("/busy")

			within := func(most time.Duration, tool, args, text string) {
				t.Helper()
				begun := time.Now()
				r.says(tool, args, text)
				if took := time.Since(begun); took > most {
					t.Errorf("%s took %v", tool, took)
				}
			}
			within(9*time.Second, "take_snapshot", `{}`, "Save") // it finds out that the frame doesn't answer
			save, name := r.uid(`"Save"`), r.uid(`"Name"`)
			within(looks, "click", `{"uid":"`+save+`"}`, "")
			within(looks, "fill", `{"uid":"`+name+`","value":"Ann"}`, "")
			within(looks, "press_key", `{"key":"End"}`, "")
			within(looks, "emulate", `{"colorScheme":"dark"}`, "")
			if !js[bool](r, "pressed && document.querySelector('input').value === 'Ann' && matchMedia('(prefers-color-scheme: dark)').matches") {
				t.Error("not all of it took effect")
			}
			goOn()
			r.says("wait_for", `{"text":["awake"],"timeout":20000}`, "awake")
			if got := r.call("take_snapshot", `{}`); !strings.Contains(got.Text, "awake") {
				t.Errorf("the snapshot doesn't show the frame: %s", got.Text)
			}
		})
	}
}

// awaitFrame waits until the test's own page has a frame whose address ends so.
func (r real) awaitFrame(suffix string) {
	r.t.Helper()
	w := r.Watch()
	defer w.Close()
	err := w.Wait(r.Ctx, func(page.Happened) bool {
		return slices.ContainsFunc(r.Frames(), func(f page.Frame) bool { return strings.HasSuffix(f.URL, suffix) })
	})
	if err != nil {
		r.t.Fatalf("no frame %s: %v", suffix, err)
	}
}
