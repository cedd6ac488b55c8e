package batch

import (
	"encoding/json"
	"fmt"
)

// Selects reports whether the client wants only certain values.
func (p *Plan) Selects() bool { return len(p.wants) > 0 }

// A Selected is one value that the client wants.
type Selected struct {
	Path  string
	Step  int
	Value json.RawMessage // nil if there is none
	Why   string          // why there is no value, or not all of it
	// Quotes reports that Why quotes the step's result.
	Quotes bool
}

// Wanted returns the values that the client wants, as far as they exist and together have at most most bytes. When
// over returns true, it looks for no more values.
func (p *Plan) Wanted(most int, over func() bool) []Selected {
	all := make([]Selected, len(p.wants))
	for i, path := range p.wants {
		all[i] = Selected{Path: path.text, Step: path.step}
		s := p.steps[path.step]
		if s.state != Done {
			all[i].Why = fmt.Sprintf("%s has no result", p.Name(path.step))
			continue
		}
		if over() {
			all[i].Why = "the call was cancelled"
			continue
		}
		v, err := s.value.find(path)
		if err != nil {
			all[i].Why, all[i].Quotes = err.Error(), true
			continue
		}
		if len(v) > most {
			all[i].Why = fmt.Sprintf("it has %d bytes, and with those before it the answer would be too long: ask "+
				"for less, or for it alone", len(v))
			continue
		}
		all[i].Value = v
		most -= len(v)
	}
	return all
}
