package commands

import (
	"context"
	"fmt"
	"io"
	"net"
)

// Finding is one line of the doctor's report.
type Finding struct {
	good   bool
	note   bool // neither good nor bad
	text   string
	remedy string // what to do, if not good
}

// well returns a finding that needs no remedy.
func well(format string, args ...any) Finding {
	return Finding{good: true, text: fmt.Sprintf(format, args...)}
}

// note returns a finding that is neither good nor bad.
func note(text string) Finding { return Finding{note: true, text: text} }

// Doctor says what to check. A zero field means that only what the hub always needs is checked.
type Doctor struct {
	BrowserURLs    []string // Chromes that listen here
	ExecutablePath string   // the Chrome that would be started
	Channel        string   // the channel of the Chrome that would be started
	UserDataDir    string   // the profile of that Chrome; "" is the hub's own

	ExtensionPort int                    // what --extension needs; 0 is not checked
	PairingFile   func() (string, error) // where the pairing token is

	Listen    *net.TCPAddr           // where MCP is to be served over HTTP; nil is not checked
	TokenFile func() (string, error) // where the token of HTTP clients is

	Joins       func(context.Context) (pid int) // the process whose hub has the Chrome that would be used; 0 if there is none
	OwnersFlags []string                        // given flags that have no effect in a process that joins another one's hub

	AuditLog, LogFile string // files that must be writable; "" is not checked
}

// Examine checks everything, until it is done or ctx ends.
func (l Doctor) Examine(ctx context.Context) []Finding {
	findings := append([]Finding{display()}, l.local(ctx)...)
	findings = append(findings, l.launchable(ctx)...)
	for _, at := range l.BrowserURLs {
		findings = append(findings, attachable(ctx, at)...)
	}
	return findings
}

// ReportFindings writes the findings for people, and returns whether nothing is missing.
func ReportFindings(w io.Writer, findings []Finding) (well bool) {
	well = true
	for _, f := range findings {
		switch {
		case f.good:
			fmt.Fprintln(w, "ok      ", f.text)
			continue
		case f.note:
			fmt.Fprintln(w, "note    ", f.text)
			continue
		}
		well = false
		fmt.Fprintln(w, "missing ", f.text)
		fmt.Fprintln(w, "         remedy:", f.remedy)
	}
	return well
}
