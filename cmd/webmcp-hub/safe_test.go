package main

import "testing"

// TestSafeFlags: --safe sets what no other flag has set.
func TestSafeFlags(t *testing.T) {
	for _, c := range []struct {
		args               []string
		preset, flow, pins string
		ui                 bool
	}{
		{nil, "", "off", "off", false},
		{[]string{"--safe"}, "safe", "ask", "hold", true},
		{[]string{"--safe", "--flow=enforce", "--pins=warn", "--policy-preset=careful"}, "careful", "enforce", "warn", true},
		{[]string{"--safe", "--allow-flow", "https://a.example->https://b.example"}, "safe", "ask", "hold", true},
	} {
		var parsed cli
		parser, err := newParser(&parsed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(append([]string{"serve"}, c.args...)); err != nil {
			t.Errorf("%q: %v", c.args, err)
			continue
		}
		f := parsed.Serve.withSafe()
		if f.PolicyPreset != c.preset || f.Flow != c.flow || f.Pins != c.pins || (f.UI != "") != c.ui {
			t.Errorf("%q: preset %q, flow %q, pins %q, live page %q", c.args, f.PolicyPreset, f.Flow, f.Pins, f.UI)
		}
	}
}
