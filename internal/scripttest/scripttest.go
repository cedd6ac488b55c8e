// Package scripttest runs golden tests that are written as scripts: files with lines that say what happens, and what
// results from it. It also compares generated documents with the code. It is for tests only. The tests define what
// the lines mean.
package scripttest

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite what is generated: the expected output in testdata, or a document")

// Play runs testdata/*.txt of the test's package, each file as a test of its own. play returns the file's text with
// the actual results, which must equal the file; with the flag -update the file is rewritten instead.
func Play(t *testing.T, play func(t *testing.T, text string) string) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(want))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(want) {
				t.Errorf("%s: %s\nIf this is what it should print now, run with -update.", file,
					firstDifference(string(want), got))
			}
		})
	}
}

// Document compares a generated file, at a path relative to the test's package, with what it must contain; with the
// flag -update it rewrites the file first.
func Document(t *testing.T, file string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s isn't what the code says; make it anew by running this package's %s with -update", file, t.Name())
	}
}

// Blocks runs the blocks of a file. A block is lines, "----", and the result that run returns for the lines, ended by
// an empty line. Lines that begin with '#' are comments. Blocks returns the file with the actual result of each
// block, "ok" for an empty one.
func Blocks(file string, run func(lines []string) string) string {
	var b strings.Builder
	var block []string
	old := false // inside an old output
	for line := range strings.Lines(strings.TrimRight(file, "\n") + "\n") {
		line = strings.TrimRight(line, "\n")
		switch {
		case old:
			if old = line != ""; !old {
				b.WriteString("\n")
			}
			continue
		case line == "----":
			out := run(block)
			if out == "" {
				out = "ok\n"
			}
			b.WriteString("----\n" + out)
			block, old = nil, true
			continue
		case line != "" && !strings.HasPrefix(line, "#"):
			block = append(block, line)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

var namedWord = regexp.MustCompile(`^[a-z]+=`)

// Words splits a line at spaces. A word or the value of a name=value can be a
// Go string in quotes or backquotes. A line without a word is an error.
func Words(line string) (args []string, named map[string]string, err error) {
	named = map[string]string{}
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimLeft(line, " ") {
		name := ""
		if m := namedWord.FindString(line); m != "" {
			name, line = strings.TrimSuffix(m, "="), line[len(m):]
		}
		value := line
		if quoted, err := strconv.QuotedPrefix(line); err == nil {
			line = line[len(quoted):]
			value, _ = strconv.Unquote(quoted)
		} else {
			value, line, _ = strings.Cut(line, " ")
		}
		if name == "" {
			args = append(args, value)
		} else {
			named[name] = value
		}
	}
	if len(args) == 0 {
		return nil, nil, fmt.Errorf("no word in it")
	}
	return args, named, nil
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		var a, b string
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b || i >= len(w) || i >= len(g) {
			return fmt.Sprintf("line %d\nwant: %s\n got: %s", i+1, a, b)
		}
	}
	return "no difference"
}
