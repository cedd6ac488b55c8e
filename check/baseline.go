package check

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"webmcphub/check/contract"
	"webmcphub/check/lint"
	"webmcphub/internal/jsonrpc"
)

// A Baseline has the findings that existed when it was written, so that only new ones count.
type Baseline struct {
	Version  int     `json:"version"`
	Findings []Known `json:"findings"`
}

// Known is a finding of a baseline. It has neither the message nor the host and port of the page.
type Known struct {
	Page  string `json:"page"`
	Rule  string `json:"rule"`
	Tool  string `json:"tool,omitempty"`
	Where string `json:"where,omitempty"`
}

// baselineVersion is the version of the format.
const baselineVersion = 1

// ErrNewer means that a newer version of this program wrote the baseline.
var ErrNewer = errors.New("a newer version of webmcp-hub wrote it")

// ReadBaseline reads a file that [Baseline.Write] wrote.
func ReadBaseline(text []byte) (*Baseline, error) {
	var b Baseline
	if err := json.Unmarshal(text, &b); err != nil {
		return nil, err
	}
	switch {
	case b.Version > baselineVersion:
		return nil, ErrNewer
	case b.Version != baselineVersion:
		return nil, fmt.Errorf("it has no version, or none that there is: %d", b.Version)
	}
	return &b, nil
}

// Write returns the baseline as the text of a file. The order of the findings doesn't matter.
func (b *Baseline) Write() ([]byte, error) {
	b.Version = baselineVersion
	if b.Findings == nil {
		b.Findings = []Known{}
	}
	slices.SortFunc(b.Findings, func(x, y Known) int {
		return cmp.Or(cmp.Compare(x.Page, y.Page), cmp.Compare(x.Rule, y.Rule), cmp.Compare(x.Tool, y.Tool),
			cmp.Compare(x.Where, y.Where))
	})
	b.Findings = slices.Compact(b.Findings)
	return jsonrpc.EncodeFile(b, "  ")
}

func known(f lint.Finding) Known {
	return Known{Page: contract.Path(f.Page), Rule: f.Rule, Tool: f.Tool, Where: f.Where}
}

// Add adds findings.
func (b *Baseline) Add(all []lint.Finding) {
	for _, f := range all {
		b.Findings = append(b.Findings, known(f))
	}
}

// New returns the findings that the baseline doesn't have, and how many it has. b may be nil.
func (b *Baseline) New(all []lint.Finding) (fresh []lint.Finding, old int) {
	if b == nil {
		return all, 0
	}
	fresh = []lint.Finding{}
	for _, f := range all {
		if slices.Contains(b.Findings, known(f)) {
			old++
		} else {
			fresh = append(fresh, f)
		}
	}
	return fresh, old
}
