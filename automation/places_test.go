package automation

import (
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
)

// TestPlaces acts on places in elements by the tools.
func TestPlaces(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<!doctype html><title>Draw</title>
		<canvas id=c width=300 height=200></canvas>
		<svg width=100 height=100><circle id=dot cx=50 cy=50 r=40 fill=green></circle></svg>
		<p id=p>One two three four.</p>
		<script>
			var log = [];
			for (const type of ['mousedown', 'mouseup', 'mousemove']) c.addEventListener(type, e => { if (type != 'mousemove' || !e.buttons) log.push(type + ' ' + e.offsetX + ',' + e.offsetY) });
			dot.addEventListener('click', () => log.push('dot'));
			dot.addEventListener('mouseenter', () => log.push('enter'));
		</script>`))
	canvas := r.uid("canvas")
	log := func(want string) {
		t.Helper()
		if got := js[string](r, "log.splice(0).join(' ')"); got != want {
			t.Errorf("the page saw %q, not %q", got, want)
		}
	}
	r.says("click", `{"uid":"`+canvas+`","x":20,"y":150}`, "Clicked the canvas.")
	log("mousemove 20,150 mousedown 20,150 mouseup 20,150")
	r.says("hover", `{"uid":"`+canvas+`","x":30,"y":10}`, "The mouse is over")
	log("mousemove 30,10")
	r.says("drag", `{"from_uid":"`+canvas+`","from_x":10,"from_y":20,"x":100,"y":-5}`, "Dragged the canvas by 100, -5.")
	log("mousemove 10,20 mousedown 10,20 mouseup 110,15")
	r.says("drag", `{"from_uid":"`+canvas+`","from_x":10,"from_y":20,"to_uid":"`+canvas+`","x":100,"y":30}`, "Dragged the canvas onto the canvas.")
	log("mousemove 10,20 mousedown 10,20 mouseup 100,30")
	r.fails("click", `{"uid":"`+canvas+`","x":20}`, "X and y have to be given together")
	r.fails("click", `{"uid":"`+canvas+`","x":301,"y":0}`, "300 × 200 CSS pixels")
	r.fails("drag", `{"from_uid":"`+canvas+`"}`, "Say where to drag")
	r.fails("drag", `{"from_uid":"`+canvas+`","text":"x","x":1,"y":1}`, "leave out to_uid, x and y")
	dot, whole := r.uid("clickable"), ""
	for line := range strings.Lines(r.call("take_snapshot", `{"verbose":true}`).Text) {
		if uid, rest, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(rest, "page ") {
			whole = uid
		}
	}
	r.says("hover", `{"uid":"`+dot+`"}`, "The mouse is over")
	r.says("click", `{"uid":"`+dot+`"}`, "Clicked")
	log("enter dot")
	r.says("drag", `{"from_uid":"`+whole+`","text":"two three"}`, "Selected text of")
	if got := js[string](r, "getSelection().toString()"); got != "two three" {
		t.Errorf("%q is selected", got)
	}
}
