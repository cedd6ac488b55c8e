package rules

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"

	"webmcphub/internal/private"
	"webmcphub/internal/settings"
)

// RemoveFromFile deletes the lines of a rule that [ReadFile] returned from its file. It keeps all other lines, also
// comments, and the file's mode, owner and group. If it can't delete exactly this rule, it changes nothing, and the
// error says which line to delete. It leaves an empty lock file beside the file.
func RemoveFromFile(path string, r *Rule) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // the link itself stays
	}
	text, err := private.ReadTrusted(path, MaxFileSize)
	if err != nil {
		return err
	}
	now, line, err := without(text, r)
	if err == nil {
		err = replace(path, text, now)
	}
	if line > 0 && err != nil && err != errChanged {
		return fmt.Errorf("delete the rule in line %d of %s yourself: %w", line, path, err)
	}
	return err
}

// errChanged reports that the file has changed since the caller read the rule.
var errChanged = errors.New("the file has changed since; list the rules again")

// replace writes a file, unless its text is no longer before.
func replace(path string, before, now []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), private.LockWait)
	defer cancel()
	unlock, err := private.Lock(ctx, path+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	is, err := private.ReadTrusted(path, MaxFileSize)
	if err != nil {
		return err
	}
	if !bytes.Equal(is, before) {
		return errChanged
	}
	return private.Rewrite(path, now)
}

// listBegins matches the line that begins the list, up to the colon.
var listBegins = regexp.MustCompile(`^\s*["']?rules["']?\s*:`)

// without returns the text of a file without a rule, and the rule's line, or 0 if the rule isn't there.
func without(text []byte, r *Rule) (now []byte, line int, err error) {
	all, err := ParseFile(text, "")
	if err != nil {
		return nil, 0, err
	}
	items, err := settings.ListItems(text, "rules")
	if err != nil {
		return nil, 0, err
	}
	i := slices.IndexFunc(all, func(is *Rule) bool {
		return is.Line == r.Line && is.Outcome == r.Outcome && is.Text == r.Text
	})
	if i < 0 {
		return nil, 0, errChanged
	}
	line = r.Line
	lines := bytes.SplitAfter(text, []byte("\n"))
	end := len(lines)
	if i+1 < len(items) {
		end = items[i+1].Line - 1
	}
	errMixed := errors.New("other rules can't be kept as they are written")
	if max(line, end) > len(lines) { // YAML also ends lines at other characters
		return nil, line, errMixed
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
	same := func(a, b *Rule) bool { return a.Outcome == b.Outcome && a.Text == b.Text }
	if err != nil || !slices.EqualFunc(left, slices.Delete(slices.Clone(all), i, i+1), same) {
		return nil, line, errMixed
	}
	return now, line, nil
}

// notRule reports whether a line is blank or only a comment.
func notRule(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#'
}
