package input

import "testing"

// TestSame: what fields make of a text is the same text; another one is not.
func TestSame(t *testing.T) {
	for held, wanted := range map[string]string{"a\nb": "a\r\nb", "a\u00a0b\n": "a b", " a": "a ", "ab": "a\nb"} {
		if !SameText(held, wanted) {
			t.Errorf("%q isn't %q", held, wanted)
		}
	}
	for held, wanted := range map[string]string{"a": "b", "a b": "ab", "": "a"} {
		if SameText(held, wanted) {
			t.Errorf("%q is %q", held, wanted)
		}
	}
}

// TestMalformed: a refusal says what the field takes.
func TestMalformed(t *testing.T) {
	for want, f := range map[string]RefusedField{
		`the slider does not take "7": it is a slider from 0 to 5 in steps of 2; the nearest value is 4`: {Type: "range", Max: "5", Step: "2", Became: "4"},
		`the slider does not take "7": a date looks like 2026-01-31`:                                     {Type: "date"},
	} {
		if got := Malformed("the slider", "7", f).Error(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := ListOptions([]string{"S", "M"}, 5); got != `"S", "M" and 3 more` {
		t.Error(got)
	}
	if is, ok := ParseToggle(" Yes"); is != "true" || !ok {
		t.Error(is, ok)
	}
}
