package rules

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"webmcphub/internal/private"
)

// RemoveFromFile deletes the lines of a rule, which [ReadFile] returned, from its file, and keeps all others, also
// comments. It changes nothing if it isn't certain that exactly the rule would be gone. The error says then which line to
// delete.
func RemoveFromFile(path string, r *Rule) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // the link itself stays
	}
	text, err := private.ReadTrusted(path, MaxFileSize)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	now, line, err := without(text, r)
	if err == nil {
		err = private.Replace(path, now, info.Mode().Perm())
	}
	if err != nil && line > 0 {
		return fmt.Errorf("delete the rule in line %d of %s yourself: %w", line, path, err)
	}
	return err
}

// listBegins matches the line that begins the list, up to the colon.
var listBegins = regexp.MustCompile(`^\s*["']?rules["']?\s*:`)

// without returns the text of a file without a rule, and the rule's line, which is 0 if it isn't there.
func without(text []byte, r *Rule) (now []byte, line int, err error) {
	all, err := ParseFile(text, "")
	if err != nil {
		return nil, 0, err
	}
	items, err := items(text)
	if err != nil {
		return nil, 0, err
	}
	i := slices.IndexFunc(all, func(is *Rule) bool { return is.Line == r.Line && is.Action == r.Action && is.Text == r.Text })
	if i < 0 {
		return nil, 0, errors.New("the file has changed since; list the rules again")
	}
	line = r.Line
	lines := bytes.SplitAfter(text, []byte("\n"))
	end := len(lines)
	if i+1 < len(items) {
		end = items[i+1].Line - 1
	}
	for end > line && notRule(lines[end-1]) { // comments and blank lines before the next rule, or at the end
		end--
	}
	rest := slices.Concat(lines[:line-1], lines[end:])
	if len(items) == 1 { // a list without items is written differently
		for at, of := range rest {
			if to := listBegins.FindIndex(of); to != nil {
				rest[at] = slices.Concat(of[:to[1]], []byte(" []"), of[to[1]:])
				break
			}
		}
	}
	now = bytes.Join(rest, nil)
	left, err := ParseFile(now, "")
	same := func(a, b *Rule) bool { return a.Action == b.Action && a.Text == b.Text }
	if err != nil || !slices.EqualFunc(left, slices.Delete(slices.Clone(all), i, i+1), same) {
		return nil, line, errors.New("other rules can't be kept as they are written")
	}
	return now, line, nil
}

// notRule reports whether a line has nothing but a comment, or nothing.
func notRule(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#'
}
