package main

import (
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	const (
		passes  = `{"Action":"pass","Package":"p","Test":"TestGood"}` + "\n"
		fails   = `{"Action":"fail","Package":"p","Test":"TestBad/sub"}` + "\n"
		again   = `{"Action":"pass","Package":"p","Test":"TestBad/sub"}` + "\n"
		failure = `{"Action":"fail","Package":"p"}` + "\n"
		other   = `{"Action":"fail","Package":"q"}` + "\n"
	)
	for name, c := range map[string]struct{ events, says, err string }{
		"all is well":                      {events: passes},
		"a test that passes the next time": {events: fails + passes + failure + again, says: "flaky: failed, and passed when it was run again: p TestBad/sub\n"},
		"a leak":                           {events: passes + failure, err: "failed, but none of their tests: p"},
		"a leak beside a failed test":      {events: fails + failure + other + again, says: "flaky: failed, and passed when it was run again: p TestBad/sub\n", err: "failed, but none of their tests: q"},
		"no events":                        {events: "garbage\n", err: `is "garbage\n"`},
		"an event that is cut off":         {events: passes + `{"Act`, err: `is "{\"Act"`},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			err := judge(strings.NewReader(c.events), &out)
			if out.String() != c.says {
				t.Errorf("it says %q, want %q", out.String(), c.says)
			}
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
		})
	}
}
