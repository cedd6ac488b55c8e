package commands

import (
	"fmt"
	"os"
	"path/filepath"

	"webmcphub/check/journey"
	"webmcphub/check/lint"
	"webmcphub/check/report"
)

// Sessions say what is made of a recorded session.
type Sessions struct {
	From     string `type:"path" placeholder:"FILE" help:"Make a journey of this recording of \"webmcp-hub record\". With URLs it is run there. Without, it is printed (as YAML, unless --write-journey or --json is given), with the tools that the recording called."`
	Journeys string `name:"write-journey" type:"path" placeholder:"FILE" help:"With --from: write the journey to this file."`
}

// session reads the recording, and writes its journey if the flags ask for that.
func (c *Check) session() (*journey.RecordedSession, error) {
	s, err := OpenRecording(c.From)
	if err != nil {
		return nil, err
	}
	is, err := journey.FromRecording(s, "the recording "+filepath.Base(c.From))
	if err != nil {
		return nil, fmt.Errorf("no journey can be made of %s: %w", c.From, err)
	}
	if is.Ends != "" {
		fmt.Fprintf(os.Stderr, "webmcp-hub: %s\n", is.Ends)
	}
	if c.Journeys == "" {
		return is, nil
	}
	text, err := journey.YAML([]journey.Journey{is.Journey})
	if err == nil {
		err = replace(c.Journeys, text)
	}
	if err != nil {
		return nil, fmt.Errorf("the journey can't be written: %w", err)
	}
	return is, nil
}

// tell prints what was made of a recording if no page is checked. It prints the journeys to out, unless they are in a
// file or out is for JSON, and the report beside them.
func (c *Check) tell(s *journey.RecordedSession, journeys []journey.Journey, version string,
	out *os.File) (code int, err error) {
	all := &report.Report{Version: version, Pages: []report.Page{}, FailOn: lint.Severity(c.FailOn),
		Coverage: s.Coverage}
	all.Clean()
	if err := c.writeEvals(journeys); err != nil {
		return report.Misused, err
	}
	if c.Journeys != "" || c.JSON {
		err = c.write(all, out)
	} else {
		err = c.print(all, journeys, out)
	}
	if err != nil {
		return report.Misused, err
	}
	return report.Passed, nil
}

func (c *Check) print(all *report.Report, journeys []journey.Journey, out *os.File) error {
	text, err := journey.YAML(journeys)
	if err != nil {
		return err
	}
	if err := c.files(all); err != nil {
		return err
	}
	if _, err := out.Write(text); err != nil || c.Quiet {
		return err
	}
	return all.Text(os.Stderr, c.textOptions(os.Stderr))
}
