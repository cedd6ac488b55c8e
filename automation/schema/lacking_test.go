package schema

import "testing"

func TestLacking(t *testing.T) {
	full := Object(Text("a", "A").Must(), Text("filePath", ""), Text("c", "").Must())
	want := string(Object(Text("a", "A").Must(), Text("c", "").Must()))
	if got := string(Lacking(full, "filePath")); got != want {
		t.Errorf("it is %s, want %s", got, want)
	}
	if got := string(Lacking(full, "nothing")); got != string(full) {
		t.Errorf("without what it hasn't it is %s", got)
	}
	if got := string(Lacking(Object(), "a")); got != string(Object()) {
		t.Errorf("of nothing it is %s", got)
	}
}
