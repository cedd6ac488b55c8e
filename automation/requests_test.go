package automation

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"webmcphub/automation/automationtest"
)

// TestAnswersWaitForRequests: what an action has the page load is there when its answer comes.
func TestAnswersWaitForRequests(t *testing.T) {
	release := make(chan struct{})
	r := openReal(t, automationtest.Pages{"/ad": `<script>setInterval(() => fetch('/hangs?' + Math.random()), 50)</script>`,
		"/": `<!doctype html><p id=out>nothing</p><input aria-label=Find oninput="load('/slow')">
		<button onclick="load('/slow')">One</button>
		<button onclick="load('/slow', () => load('/slow?2', () => Promise.resolve().then(() => out.textContent = 'both')))">Two</button>
		<button onclick="const x = new XMLHttpRequest; x.open('GET', '/slow'); x.onload = () => setTimeout(() => out.textContent = 'xhr'); x.send()">XHR</button>
		<button onclick="setTimeout(() => load('/slow'))">Later</button>
		<button onclick="load('/hangs')">Hangs</button>
		<button onclick="load('/hangs'); location = '#x'; setTimeout(() => out.textContent = 'moved', 50)">Hash</button>
		<button onclick="new EventSource('/stream'); fetch('/stream')">Stream</button>
		<button onclick="load('/hangs'); alert('Well?')">Asks</button>
		<button onclick="many().then(() => load('/slow'))">Many</button>
		<input aria-label=A oninput="load('/hangs')"><input aria-label=B oninput="load('/hangs')"><input aria-label=C oninput="load('/hangs')">
		<input aria-label=D oninput="load('/slow')"><input aria-label=E>
		<script>
		const load = (url, then) => fetch(url).then(r => r.text()).then(then || (text => out.textContent = text));
		const ad = () => new Promise(done => { const f = document.createElement('iframe'); f.src = '{{b}}/ad'; f.onload = () => done(1); document.body.append(f) });
		const many = () => Promise.all([...Array(250).keys()].map(i => fetch('data:,' + i)));
		</script>`})
	r.Site.Handle(func(w http.ResponseWriter, q *http.Request) bool {
		switch q.URL.Path {
		case "/slow":
			timer := time.NewTimer(300 * time.Millisecond)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-q.Context().Done():
			}
			_, _ = w.Write([]byte("loaded"))
		case "/stream":
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-q.Context().Done():
			case <-release:
			}
		case "/hangs":
			select {
			case <-q.Context().Done():
			case <-release:
			}
		default:
			return false
		}
		return true
	})
	defer close(release)
	uids := map[string]string{}
	for line := range strings.Lines(r.call("take_snapshot", `{}`).Text) {
		if uid, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			_, name, _ := strings.Cut(rest, `"`)
			name, _, _ = strings.Cut(name, `"`)
			uids[name] = uid
		}
	}
	for _, c := range []struct{ of, tool, args, shows string }{
		{"One", "click", "", "loaded"},
		{"Two", "click", "", "both"},
		{"XHR", "click", "", "xhr"},
		{"Later", "click", "", "loaded"},
		{"Many", "click", "", "loaded"},
		{"Find", "fill", `,"value":"a"`, "loaded"},
		{"Find", "press_key", `,"key":"b"`, "loaded"},
	} {
		t.Run(c.of+" "+c.tool, func(t *testing.T) {
			js[int](r, "(out.textContent = 'nothing', 1)")
			r.says("take_snapshot", `{}`, "nothing")
			got := r.call(c.tool, `{"uid":"`+uids[c.of]+`"`+c.args+`}`)
			if shown := js[string](r, "out.textContent"); shown != c.shows || !strings.Contains(got.Text, `"`+c.shows+`"`) {
				t.Errorf("the page shows %q, and the answer says %s", shown, got.Text)
			}
		})
	}
	for _, c := range []struct {
		of, says string
		most     time.Duration
	}{
		{"Stream", "Clicked", 2500 * time.Millisecond},
		{"Asks", "Well?", 2500 * time.Millisecond},
	} {
		began := time.Now()
		r.says("click", `{"uid":"`+uids[c.of]+`"}`, c.says)
		if took := time.Since(began); took > c.most {
			t.Errorf("%s took %v", c.of, took)
		}
	}
	r.says("handle_dialog", `{"action":"accept"}`, "accepted")
	r.says("click", `{"uid":"`+uids["Hangs"]+`"}`, "1 of its requests had no answer")
	fill := func(names ...string) string {
		var elements []string
		for _, name := range names {
			elements = append(elements, `{"uid":"`+uids[name]+`","value":"x"}`)
		}
		return `{"elements":[` + strings.Join(elements, ",") + `]}`
	}
	js[int](r, "(out.textContent = 'nothing', 1)")
	r.says("take_snapshot", `{}`, "nothing")
	r.says("fill_form", fill("D", "E"), `"loaded"`)
	began := time.Now()
	r.says("fill_form", fill("A", "B", "C"), "3 of its requests had no answer")
	if took := time.Since(began); took > 6*time.Second {
		t.Errorf("three fields took %v", took)
	}
	js[int](r, "ad()")
	if got := r.call("click", `{"uid":"`+uids["One"]+`"}`); got.IsError || strings.Contains(got.Text, "no answer") {
		t.Errorf("beside a frame of another site it says %s", got.Text)
	}
}
