package leases

import "testing"

// A client reads what no browser has, and what to ask for instead.
func TestNoSuchLabelsText(t *testing.T) {
	for _, c := range []struct {
		request Request
		want    string
	}{
		{Request{}, "the cluster has no browser without a profile. Try again later"},
		{Request{Labels: []string{"fr", "gpu"}},
			"the cluster has no browser with the labels fr, gpu and without a profile. Ask for other labels or none"},
		{Request{Profile: "shop"},
			"the cluster has no browser with the profile shop. Ask for one without a profile"},
		{Request{Labels: []string{"fr"}, Profile: "shop"},
			"the cluster has no browser with the labels fr and the profile shop. Ask for other labels or none, " +
				"without a profile"},
	} {
		want := c.want + ", or ask whoever runs this server which there are"
		if got := noSuchLabels(c.request, nil).Text; got != want {
			t.Errorf("%+v: %s\nwant %s", c.request, got, want)
		}
	}
}
