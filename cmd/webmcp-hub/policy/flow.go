package policy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"webmcphub/internal/audit"
	"webmcphub/internal/private"
	"webmcphub/internal/settings"
	"webmcphub/trust"
	"webmcphub/trust/flow"
)

// FlowFlags say where data that clients have read may go.
type FlowFlags struct {
	Flow       string   `enum:"off,log,ask,enforce" default:"off" help:"What to do when a client sends to one site what it has read on another, or something that can't be compared with that. log: allow it, and note it in the audit log and the hub's log. ask: ask a person. enforce: refuse it. off: don't check."`
	FlowStrict bool     `help:"With --flow: treat every origin as a site of its own. Default: origins with the same scheme and registered domain are one site."`
	AllowFlow  []string `sep:"none" placeholder:"FROM->TO" help:"With --flow: what was read from the first origin may be sent to the second, for example 'https://crm.example->https://*.mail.example'; * stands for every origin. Repeatable."`
	Spotlight  bool     `help:"In results, put text of pages between delimiters that no page can write, together with its origin."`
}

// Validate returns an error for flags that contradict each other.
func (f FlowFlags) Validate() error {
	if f.Flow == string(flow.Off) && (f.FlowStrict || len(f.AllowFlow) > 0) {
		return errors.New("--flow-strict and --allow-flow go with --flow=log, ask or enforce only: without --flow " +
			"the hub compares nothing")
	}
	_, err := f.pairs()
	return err
}

func (f FlowFlags) pairs() (pairs []flow.Pair, err error) {
	for _, text := range f.AllowFlow {
		p, err := flow.ParsePair(text)
		if err != nil {
			return nil, fmt.Errorf("--allow-flow: %w", err)
		}
		pairs = append(pairs, p)
	}
	return pairs, nil
}

// Add adds what the flags say to a guard's options. domain returns the registered domain of a host, or "" if it has
// none. The file of the flows that people have allowed for good is watched until stop is called.
func (f FlowFlags) Add(o *trust.Options, domain func(host string) string, log *slog.Logger) (stop func(), err error) {
	stop = func() {}
	if f.Spotlight {
		o.Delimit = trust.DelimitAction
	}
	if f.Flow == string(flow.Off) {
		return stop, nil
	}
	pairs, err := f.pairs()
	if err != nil {
		return stop, err
	}
	kept, err := OpenFlows(log)
	if err != nil {
		log.Warn("there is no place for the flows that people allow for good, so they are forgotten at the hub's end",
			"err", err)
	}
	was := settings.StampOf(kept.path)
	decider := trust.NewFlowDecider(flow.Options{Mode: flow.Mode(f.Flow), Domain: domain, Strict: f.FlowStrict,
		Pairs: slices.Concat(pairs, kept.Read())}, kept.add)
	if o.Flow = decider; kept.path == "" {
		return stop, nil
	}
	ctx, stop := context.WithCancel(context.Background())
	go settings.WatchFile(ctx, kept.path, was, func() { decider.SetPairs(slices.Concat(pairs, kept.Read())) })
	return stop, nil
}

// AllowedFlows is the file of the flows that people have allowed for good. It has one pair per line, in the form of
// --allow-flow. Any goroutine may call its methods.
type AllowedFlows struct {
	path string // "" for none
	log  *slog.Logger
}

// OpenFlows returns the file. The error says why there is no place for it; the file then counts as empty.
func OpenFlows(log *slog.Logger) (AllowedFlows, error) {
	path, err := private.Place("flows")
	return AllowedFlows{path, log}, err
}

// lock keeps other processes from changing the file.
func (a AllowedFlows) lock() (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(a.path), 0o700); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), private.LockWait)
	defer cancel()
	return private.Lock(ctx, a.path+".lock")
}

// Drop removes a pair from the file.
func (a AllowedFlows) Drop(pair string) error {
	unlock, err := a.lock()
	if err != nil {
		return err
	}
	defer unlock()
	text, err := private.ReadOwn(a.path, maxAllowedFlows)
	if err != nil {
		return err
	}
	lines := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"),
		func(line string) bool { return strings.TrimSpace(line) == pair })
	return private.Replace(a.path, []byte(strings.Join(lines, "")), 0o600)
}

// maxAllowedFlows is how large the file may be, in bytes.
const maxAllowedFlows = 1 << 20

// Read reads the file. A line that is wrong allows nothing.
func (a AllowedFlows) Read() (pairs []flow.Pair) {
	if a.path == "" {
		return nil
	}
	text, err := private.ReadOwn(a.path, maxAllowedFlows)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			a.log.Error("the flows that people allowed for good can't be read, so none of them is allowed", "file",
				a.path, "err", err)
		}
		return nil
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		p, err := flow.ParsePair(line)
		if err != nil {
			a.log.Error("a line of the flows that people allowed for good is wrong and allows nothing", "file", a.path,
				"line", i+1, "err", err)
			continue
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// add appends pairs to the file.
func (a AllowedFlows) add(pairs []string) {
	if a.path == "" {
		return
	}
	unlock, err := a.lock()
	var file *os.File
	if err == nil {
		defer unlock()
		file, err = os.OpenFile(a.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	}
	if err == nil {
		_, err = file.WriteString(strings.Join(pairs, "\n") + "\n")
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		a.log.Error("a flow that was allowed for good will be forgotten at the hub's end", "file", a.path, "err", err)
	}
}

// Decided returns a function that writes decisions to the audit log, if there is one. The hub's own log gets the
// calls that were only to be reported.
func Decided(written *audit.Tenant, log *slog.Logger) func(trust.Decision) {
	return func(d trust.Decision) {
		if d.Verdict == trust.Log {
			log.Info("a call was allowed that would not be", "by", d.By, "why", d.Why, "tool", d.Action.HubName,
				"session", d.Action.Session)
		}
		if d.By == "flow" && d.Verdict == trust.Refuse {
			log.Info("a call was refused", "why", d.Why, "tool", d.Action.HubName, "session", d.Action.Session)
		}
		if d.By == "answer" && d.Verdict == trust.Refuse {
			log.Info("a person did not allow a call", "why", d.Why, "tool", d.Action.HubName, "session", d.Action.Session)
		}
		if written == nil {
			return
		}
		written.Decided(audit.Decision{
			Session: d.Action.Session, Client: d.Action.Client, Origin: d.Action.Origin, To: d.Action.To,
			Tab: d.Action.Tab, Browser: d.Action.Browser, Tool: d.Action.Name, Name: d.Action.HubName, Args: d.Action.Args,
			By: d.By, Outcome: d.Verdict.String(), Why: d.Why,
		})
	}
}
