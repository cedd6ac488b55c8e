package main

import (
	"log/slog"
	"strings"
	"testing"
)

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

// TestSafeIsRecommended: a hub that starts without anything that limits what agents may do says once how to change that.
func TestSafeIsRecommended(t *testing.T) {
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, t.TempDir())
	}
	for args, want := range map[string]int{
		"": 1, "--rate-client=60": 1, "--ui": 1, "--pins=warn": 1,
		"--safe": 0, "--ask=*": 0, "--policy-preset=careful": 0, "--flow=log": 0, "--deny-origin=https://bank.example": 0,
	} {
		var parsed cli
		parser, err := newParser(&parsed)
		if err == nil {
			_, err = parser.Parse(append([]string{"serve"}, strings.Fields(args)...))
		}
		if err != nil {
			t.Fatal(args, err)
		}
		var log strings.Builder
		s := &serveCmd{serveOptions: parsed.Serve.withSafe()}
		x, err := s.extras(slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(args, err)
		}
		x.close()
		if n := strings.Count(log.String(), "--safe asks you"); n != want {
			t.Errorf("%q: --safe is recommended %d times, not %d, in\n%s", args, n, want, &log)
		}
	}
}
