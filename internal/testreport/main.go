// The program testreport reads the events of one or more runs of the tests and reports what
// their exit codes don't tell. "make test" runs it.
//
//	testreport FILE...
//
// Each FILE has the events of go test (go doc test2json), those of a second run of failed
// tests behind those of the first. The program names each test that failed at first and
// passed the second time, so that somebody mends it, and lists the packages and the tests
// that took longest.
//
// It exits with 1 when a package failed although each of its tests passed, because of
// goroutines that the tests left behind, say: the second run doesn't repeat such a failure.
// It also exits with 1 when a FILE can't be read.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// Slowest is how many packages, and how many tests, the report lists.
const slowest = 10

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: testreport FILE...")
		os.Exit(1)
	}
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(1)
	}
}

func run(paths []string, out io.Writer) error {
	var files []io.Reader
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		files = append(files, file)
	}
	return report(io.MultiReader(files...), out)
}

// A took says how long a package or a test took.
type took struct {
	name    string
	seconds float64
}

// Report writes the report to out. Its error names the packages that failed although none
// of their tests did.
func report(events io.Reader, out io.Writer) error {
	failed := map[string]bool{}    // a test, as "package test"
	hasFailed := map[string]bool{} // a package in which a test failed
	var bad []string
	var packages, tests []took
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			break
		}
		var e struct {
			Action, Package, Test string
			Elapsed               float64
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("this is not an event of go test: %.100q", line)
		}
		if e.Action != "pass" && e.Action != "fail" {
			continue
		}
		test := e.Package + " " + e.Test
		switch {
		case e.Test == "":
			packages = append(packages, took{e.Package, e.Elapsed})
			if e.Action == "fail" && !hasFailed[e.Package] {
				bad = append(bad, e.Package)
			}
			continue
		case e.Action == "fail":
			failed[test], hasFailed[e.Package] = true, true
		case failed[test]:
			fmt.Fprintln(out, "testreport: failed first and passed the second time:", test)
		}
		if !strings.Contains(e.Test, "/") {
			tests = append(tests, took{test, e.Elapsed})
		}
	}
	list(out, "package", packages)
	list(out, "test", tests)
	if len(bad) > 0 {
		return fmt.Errorf("these packages failed although each of their tests passed: %s", strings.Join(bad, ", "))
	}
	return nil
}

// List writes the slowest of all, and the sum. Packages and tests that run at the same time
// each count whole.
func list(out io.Writer, kind string, all []took) {
	sum := 0.0
	for _, one := range all {
		sum += one.seconds
	}
	slices.SortStableFunc(all, func(a, b took) int { return cmp.Compare(b.seconds, a.seconds) })
	for _, one := range all[:min(slowest, len(all))] {
		if one.seconds >= 0.05 {
			fmt.Fprintf(out, "testreport: %6.1f s of %.0f s: %s %s\n", one.seconds, sum, kind, one.name)
		}
	}
}
