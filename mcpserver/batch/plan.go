package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Limits of a batch.
const (
	// MaxSteps is how many steps a batch may have.
	MaxSteps = 100
	// MaxSideBySide is how many steps may run at a time. It is no more than the number of questions that a client's
	// user may be asked at a time.
	MaxSideBySide = 8
	// MaxKept is how many bytes of the steps' results are kept.
	MaxKept = 16 << 20
	// MaxArguments is how many bytes a step's arguments may have after references are replaced.
	MaxArguments = 8 << 20
	// MaxWanted is how many values the client may ask for.
	MaxWanted = 100
	// MaxLooked is how many bytes are searched for the references of one step.
	MaxLooked = 64 << 20
)

// Step is one call, as the client gave it.
type Step struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"` // an object, or nothing
	As        string          `json:"as"`        // the name by which other steps refer to it; may be ""
	Tab       *float64        `json:"tab"`       // the tool's tab; nil if the name determines it
}

// State is the progress of a step.
type State string

// The states of a step. Every step ends in one of the last three.
const (
	Waiting State = "waiting"
	Running State = "running"
	Done    State = "ok"
	Failed  State = "error"
	NotRun  State = "not run"
)

// Plan is a batch that is being carried out. It belongs to one goroutine.
type Plan struct {
	steps  []planned
	goesOn bool // begins steps even after a step has failed
	wants  []Path
	kept   int // bytes of the kept values
}

// planned is one step.
type planned struct {
	Step
	arguments template
	uses      []int // the earlier steps to which its arguments refer
	wanted    bool  // Plan.wants asks for its value

	state  State
	why    string // why it failed or was not run
	quotes int    // the step whose result why quotes; -1 for this step's own
	value  Value
}

// Ended describes how a step has ended. Other steps may refer to Value.
type Ended struct {
	Index  int
	Failed bool
	Why    string
	Value  Value
}

// Begun is a step that is to be run now, with these arguments: an object, or nil.
type Begun struct {
	Index     int
	Arguments json.RawMessage
}

var goodName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

// New makes a plan, or says what is wrong with what the client gave. goesOn reports that a failed step doesn't keep
// the others from running. wants are the paths of the values that the client is to get ([Plan.Wanted]).
func New(steps []Step, goesOn bool, wants []string) (*Plan, error) {
	switch {
	case len(steps) == 0:
		return nil, fmt.Errorf("there are no steps")
	case len(steps) > MaxSteps:
		return nil, fmt.Errorf("there are %d steps, and a batch may have %d. Split it into several", len(steps), MaxSteps)
	case len(wants) > MaxWanted:
		return nil, fmt.Errorf("return has %d paths, and may have %d. Ask for what is around them", len(wants),
			MaxWanted)
	}
	p := &Plan{goesOn: goesOn, steps: make([]planned, len(steps))}
	names := map[string]int{}
	for i, s := range steps {
		p.steps[i] = planned{Step: s, state: Waiting, quotes: -1}
		names[fmt.Sprint(i)] = i
		if s.As == "" {
			continue
		}
		if !goodName.MatchString(s.As) {
			return nil, fmt.Errorf("step %d: %q can't be its name: as takes a letter or _, and up to 63 more "+
				"letters, digits, - and _", i, cut(s.As, 80))
		}
		if other, taken := names[s.As]; taken {
			return nil, fmt.Errorf("steps %d and %d are both called %q: give each its own name", other, i, s.As)
		}
		names[s.As] = i
	}
	for i := range p.steps {
		if err := p.refer(i, names); err != nil {
			return nil, err
		}
	}
	for _, text := range wants {
		path, err := p.path(text, names)
		if err != nil {
			return nil, fmt.Errorf("return: %w", err)
		}
		p.wants = append(p.wants, path)
		p.steps[path.step].wanted = true
	}
	return p, nil
}

// refer parses a step's arguments, and notes the steps to which they refer.
func (p *Plan) refer(i int, names map[string]int) error {
	s := &p.steps[i]
	t, err := parse(s.Arguments, func(text string) (Path, error) {
		path, err := p.path(text, names)
		switch {
		case err != nil:
			return path, err
		case path.step == i:
			return path, fmt.Errorf("%q is its own result", cut(text, 80))
		case path.step > i:
			return path, fmt.Errorf("%q is the result of step %d, which comes later: a step can refer to earlier ones only", cut(text, 80), path.step)
		}
		s.uses = append(s.uses, path.step)
		return path, nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name(i), err)
	}
	s.arguments = t
	return nil
}

// path reads a path, and finds the step with which it begins.
func (p *Plan) path(text string, names map[string]int) (Path, error) {
	path, err := parsePath(text)
	if err != nil {
		return path, err
	}
	step, known := names[path.head]
	if !known {
		var all []string
		for i, s := range p.steps[:min(len(p.steps), 20)] {
			if s.As != "" {
				all = append(all, s.As)
			} else {
				all = append(all, fmt.Sprint(i))
			}
		}
		return path, fmt.Errorf(`%q begins with no step's name. The steps: %s. To send an object with the key "$ref" itself, wrap it: {"$literal": {"$ref": …}}`, cut(text, 80), strings.Join(all, ", "))
	}
	path.step = step
	return path, nil
}

// Name returns a step's name for texts.
func (p *Plan) Name(i int) string {
	if as := p.steps[i].As; as != "" {
		return fmt.Sprintf("step %d (%s)", i, as)
	}
	return fmt.Sprintf("step %d", i)
}

// End notes that a step has ended.
func (p *Plan) End(e Ended) {
	s := &p.steps[e.Index]
	if s.state != Running {
		return
	}
	if s.state = Done; e.Failed {
		s.state, s.why = Failed, e.Why
	}
	p.keep(e.Index, e.Value)
	p.settle()
}

// Cancel keeps further steps from beginning.
func (p *Plan) Cancel(why string) {
	for i := range p.steps {
		if s := &p.steps[i]; s.state == Waiting {
			s.state, s.why = NotRun, why
		}
	}
}

// Begin begins the steps that may run now. tabs has the tab to which each step would go now, or has gone; "" if that
// is unknown. over reports that the client no longer waits for the batch. Begin calls over before each step, because
// replacing references may take a while.
func (p *Plan) Begin(tabs []string, over func() bool) (begun []Begun) {
	running := 0
	for _, s := range p.steps {
		if s.state == Running {
			running++
		}
	}
	for i := range p.steps {
		if p.steps[i].state != Waiting || running >= MaxSideBySide || !p.ready(i, tabs) {
			continue
		}
		if over() {
			break
		}
		looked := 0
		args, err := p.steps[i].arguments.fill(func(path Path) (json.RawMessage, error) {
			if looked += p.steps[path.step].value.size(); looked > MaxLooked {
				return nil, fmt.Errorf("its arguments refer too often to results that are so long: more than %d "+
					"bytes would be looked through", MaxLooked)
			}
			return p.valueOf(path)
		})
		if err != nil {
			p.steps[i].state, p.steps[i].why = Failed, err.Error()
			if no := (nothingThere{}); errors.As(err, &no) {
				p.steps[i].quotes = no.step
			}
			p.settle()
			continue
		}
		p.steps[i].state = Running
		running++
		begun = append(begun, Begun{i, args})
	}
	return begun
}

// ready reports whether all steps that must end before a step begins have ended.
func (p *Plan) ready(i int, tabs []string) bool {
	for _, used := range p.steps[i].uses {
		if p.steps[used].state != Done {
			return false
		}
	}
	for k, s := range p.steps[:i] {
		if (s.state == Waiting || s.state == Running) && (tabs[i] == "" || tabs[k] == "" || tabs[i] == tabs[k]) {
			return false
		}
	}
	// A later step may have begun when this step's tab was not known to be the same.
	for k, s := range p.steps[i+1:] {
		if k += i + 1; s.state == Running && (tabs[i] == "" || tabs[k] == "" || tabs[i] == tabs[k]) {
			return false
		}
	}
	return true
}

// settle ends the steps that will never run.
func (p *Plan) settle() {
	failed := -1
	for i, s := range p.steps {
		if s.state == Failed {
			failed = i
			break
		}
	}
	for i := range p.steps {
		s := &p.steps[i]
		if s.state != Waiting {
			continue
		}
		for _, used := range s.uses {
			if is := p.steps[used].state; is == Failed || is == NotRun {
				s.state, s.why = NotRun, fmt.Sprintf("it needs the result of %s, which has none", p.Name(used))
				break
			}
		}
		if s.state == Waiting && failed >= 0 && !p.goesOn {
			s.state, s.why = NotRun, p.Name(failed)+" failed"
		}
	}
	p.forget()
}

// keep keeps a step's value if it may still be needed.
func (p *Plan) keep(i int, v Value) {
	s := &p.steps[i]
	if s.state != Done || !s.wanted && !p.used(i) {
		return
	}
	if p.kept+v.size() > MaxKept {
		v = Value{tooLarge: v.size()}
	}
	s.value = v
	p.kept += v.size()
}

// forget drops the values that are no longer needed.
func (p *Plan) forget() {
	for i := range p.steps {
		if s := &p.steps[i]; s.value.size() > 0 && !s.wanted && !p.used(i) {
			p.kept -= s.value.size()
			s.value = Value{}
		}
	}
}

// used reports whether a step that has not run refers to step i.
func (p *Plan) used(i int) bool {
	for _, s := range p.steps[i+1:] {
		if s.state != Waiting {
			continue
		}
		if slices.Contains(s.uses, i) {
			return true
		}
	}
	return false
}

func (p *Plan) valueOf(path Path) (json.RawMessage, error) {
	v, err := p.steps[path.step].value.find(path)
	if err != nil {
		err = nothingThere{path.step, err}
	}
	return v, err
}

// nothingThere is the error for a path that leads to nothing. Its text quotes the step's result.
type nothingThere struct {
	step int
	error
}

// Over reports whether every step has ended.
func (p *Plan) Over() bool {
	for _, s := range p.steps {
		if s.state == Waiting || s.state == Running {
			return false
		}
	}
	return true
}

// Len returns the number of steps.
func (p *Plan) Len() int { return len(p.steps) }

// Ended returns how many steps have ended.
func (p *Plan) Ended() (n int) {
	for _, s := range p.steps {
		if s.state != Waiting && s.state != Running {
			n++
		}
	}
	return n
}

// Given returns a step as the client gave it.
func (p *Plan) Given(i int) Step { return p.steps[i].Step }

// Outcome returns a step's state, and why the step failed or was not run.
func (p *Plan) Outcome(i int) (is State, why string) { return p.steps[i].state, p.steps[i].why }

// cut shortens text of a client for use in a message.
func cut(s string, max int) string {
	if len(s) <= max {
		return s
	}
	return strings.ToValidUTF8(s[:max], "") + "…"
}
