package snapshot

import (
	"testing"

	"webmcphub/automation/automationtest"
)

// TestMapIsNotNamedByWhatIsInIt: a container that takes the focus, as a Leaflet map does, isn't named by the texts and controls in it, which
// are shown by themselves; an option with a bar in its name differs from two options.
func TestMapIsNotNamedByWhatIsInIt(t *testing.T) {
	t.Parallel()
	tab := automationtest.Open(t, automationtest.HTML(`<div id=map tabindex=0 style="position:relative;width:400px;height:300px;overflow:hidden">
		<div><img alt="" src=data:, style="width:100px;height:100px"></div>
		<div><div><a href=# role=button aria-label="Zoom in">+</a><a href=# role=button aria-label="Zoom out">−</a></div></div>
		<div><a href=/l>Leaflet</a> <span>|</span> © Mapmakers</div></div>
		<select aria-label=Pick><option>one | two<option>three</select>`))
	for _, inferred := range []bool{false, true} {
		snaps := NewTab(0)
		snaps.inferred = inferred
		s := take(t, tab, snaps, Options{})
		t.Log(s.Text)
		has(t, s, `"Zoom in"`, `"Zoom out"`, `link "Leaflet"`, "Mapmakers", `options="one \| two | three"`)
		hasNot(t, s, `"Zoom in Zoom out`, `"+`, `"Leaflet |`, `"Leaflet \|`)
	}
}
