package automation

import (
	"slices"
	"testing"

	"webmcphub/automation/corpus"
	"webmcphub/cdpclient"
)

// lookedAt is of how many of a page's controls the uid is looked up, and clickedEach how many are clicked.
const lookedAt, clickedEach = 400, 8

// hasControls wants a uid in a snapshot for each control that a person has on the page, and that a click by that uid reaches
// the control. The page stays as it is.
func (o *one) hasControls(t *testing.T, snapshot string) {
	t.Helper()
	var n int
	o.evaluate(t, "("+corpus.ControlsScript+")()", &n)
	uids := o.uidsIn(t, snapshot)
	controls := o.controls(t)
	step := max(1, len(controls)/clickedEach)
	without := 0
	for i, c := range controls {
		uid := uids[o.backend(t, c)]
		if uid == "" {
			without++
			var is string
			o.evaluate(t, c.expression()+".outerHTML.slice(0, 200)", &is)
			t.Errorf("no uid for %s", is)
			continue
		}
		if i%step == 0 {
			o.reaches(t, c, uid)
		}
	}
	o.evaluate(t, "window.clicked = window.controls = null, scrollTo(0, 0)", nil)
	o.ask(t, "Runtime.releaseObjectGroup", map[string]any{"objectGroup": "controls"}, nil)
	t.Logf("%d controls, %d of them without a uid", n, without)
}

// control is an element of window.controls.
type control struct {
	Name  string // its index
	Value struct{ ObjectID string }
}

func (c control) expression() string { return "window.controls[" + c.Name + "]" }

// controls returns the page's controls, or lookedAt of them from all over the page.
func (o *one) controls(t *testing.T) (some []control) {
	t.Helper()
	var list struct{ Result struct{ ObjectID string } }
	o.ask(t, cdpclient.RuntimeEvaluate, map[string]any{"expression": "window.controls", "objectGroup": "controls"}, &list)
	var all struct{ Result []control }
	o.ask(t, "Runtime.getProperties", map[string]any{"objectId": list.Result.ObjectID, "ownProperties": true}, &all)
	controls := slices.DeleteFunc(all.Result, func(c control) bool { return c.Value.ObjectID == "" || c.Name == "__proto__" })
	for i := 0; i < len(controls); i += 1 + len(controls)/lookedAt {
		some = append(some, controls[i])
	}
	return some
}

func (o *one) backend(t *testing.T, c control) int {
	t.Helper()
	var is struct{ Node struct{ BackendNodeID int } }
	o.ask(t, "DOM.describeNode", map[string]any{"objectId": c.Value.ObjectID}, &is)
	return is.Node.BackendNodeID
}

// reaches clicks a control by its uid.
func (o *one) reaches(t *testing.T, c control, uid string) {
	t.Helper()
	o.evaluate(t, "window.clicked.length = 0", nil)
	got := o.call("click", string(encoded(t, map[string]string{"uid": uid})))
	var hit bool
	o.evaluate(t, "window.clicked.some((path) => path.includes("+c.expression()+"))", &hit)
	if got.IsError || !hit {
		var is string
		o.evaluate(t, c.expression()+".outerHTML.slice(0, 200)", &is)
		t.Errorf("a click on %s doesn't reach %s: %s", uid, is, got.Text)
	}
}
