package main

import (
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	const (
		passes  = `{"Action":"pass","Package":"p","Test":"TestGood","Elapsed":0.01}` + "\n"
		slow    = `{"Action":"pass","Package":"p","Test":"TestSlow","Elapsed":2}` + "\n"
		part    = `{"Action":"pass","Package":"p","Test":"TestSlow/part","Elapsed":2}` + "\n"
		whole   = `{"Action":"pass","Package":"p","Elapsed":3}` + "\n"
		fails   = `{"Action":"fail","Package":"p","Test":"TestBad/sub"}` + "\n"
		again   = `{"Action":"pass","Package":"p","Test":"TestBad/sub"}` + "\n"
		failure = `{"Action":"fail","Package":"p"}` + "\n"
		other   = `{"Action":"fail","Package":"q"}` + "\n"
		flaky   = "testreport: failed first and passed the second time: p TestBad/sub\n"
	)
	for name, c := range map[string]struct{ events, says, err string }{
		"all passes":                       {events: passes},
		"a test that passes the next time": {events: fails + passes + failure + again, says: flaky},
		"a leak":                           {events: passes + failure, err: "each of their tests passed: p"},
		"a leak beside a failed test": {events: fails + failure + other + again, says: flaky,
			err: "each of their tests passed: q"},
		"times": {events: passes + part + slow + whole,
			says: "testreport:    3.0 s of 3 s: package p\ntestreport:    2.0 s of 2 s: test p TestSlow\n"},
		"no events":                {events: "garbage\n", err: `"garbage\n"`},
		"an event that is cut off": {events: passes + `{"Act`, err: `"{\"Act"`},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			err := report(strings.NewReader(c.events), &out)
			if out.String() != c.says {
				t.Errorf("it says %q, want %q", out.String(), c.says)
			}
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
		})
	}
}
