package input

import (
	"testing"
	"time"

	"webmcphub/automation/page"
)

// TestRestTakesTime: what is animated isn't at rest because frames show it in the same place, where
// time has stood still from one to the next: a busy browser draws late frames, whose times are past.
func TestRestTakesTime(t *testing.T) {
	t.Parallel()
	play(t, []row{
		{"frames that bring no new time", `<style>@keyframes m{to{margin-left:500px}}#b{animation:m 1s linear infinite alternate}</style><button id=b onclick="log.push('wrong')">Save</button>`, func(s *scene) {
			const late = `() => { globalThis.requestAnimationFrame = (f) => { const port = new MessageChannel(); port.port1.onmessage = () => f(performance.now()); port.port2.postMessage(0) } }`
			if err := s.in.Evaluate(s.in.Ctx, s.in.Frame("").FrameRef, page.Isolated, late, nil, nil); err != nil {
				s.Fatal(err)
			}
			_, err := s.tryClick("#b", short(300*time.Millisecond))
			s.refuses(err, "does not stop moving")
			s.is("log.join()", "")
		}},
	})
}
