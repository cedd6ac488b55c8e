package wording

import "testing"

func TestDidYouMean(t *testing.T) {
	known := []string{"late", "title-missing", "schema-shape", "smoke-hang"}
	for name, want := range map[string]string{
		"lat": "late", "titel-missing": "title-missing", "schema_shape": "schema-shape", "hang": "smoke-hang", "LATE": "late",
		"nothing-like-it-at-all": "", "": "", "x": "",
	} {
		got := DidYouMean(name, known)
		if want != "" {
			want = "; did you mean " + want
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
