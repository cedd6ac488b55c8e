// The program flaky judges a run of the tests in which those that failed were run a second
// time. A test that drives a real browser on a busy machine may need that; it is named, so
// that somebody mends it. A package that failed although all of its tests passed, for
// goroutines that they left behind say, fails the run: nothing of that was run a second time.
// Where a test failed as well nobody looked for such goroutines; the next run does.
//
//	flaky FILE
//
// FILE has go test's events (go doc test2json), those of the second run behind those of
// the first. Exit code 1: a package failed outside its tests, or FILE can't be read.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: flaky FILE")
		os.Exit(1)
	}
	file, err := os.Open(os.Args[1])
	if err == nil {
		err = judge(file, os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "flaky:", err)
		os.Exit(1)
	}
}

// judge writes which tests failed first and passed then. The error names the packages that
// failed although none of their tests did.
func judge(events io.Reader, out io.Writer) error {
	failed := map[string]bool{}    // a test, as "package test"
	hasFailed := map[string]bool{} // a package in which a test failed
	var bad []string
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			break
		}
		var e struct{ Action, Package, Test string }
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("what should be an event of go test is %.100q", line)
		}
		test := e.Package + " " + e.Test
		switch {
		case e.Action == "fail" && e.Test != "":
			failed[test], hasFailed[e.Package] = true, true
		case e.Action == "fail" && !hasFailed[e.Package]:
			bad = append(bad, e.Package)
		case e.Action == "pass" && failed[test]:
			fmt.Fprintln(out, "flaky: failed, and passed when it was run again:", test)
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("these packages failed, but none of their tests: %s", strings.Join(bad, ", "))
	}
	return nil
}
