package commands

import (
	"errors"
	"fmt"
	"os"

	"webmcphub/check"
)

// settingsFile is the default file of settings.
const settingsFile = ".webmcp-check.yaml"

// ruleNames are the ids of all rules.
func ruleNames() (all []string) {
	for _, r := range check.Rules() {
		all = append(all, r.ID)
	}
	return all
}

// settings reads the settings; nil if there are none.
func (c *Check) settings() (*check.Settings, error) {
	file := c.Rules
	if file == "" {
		file = settingsFile
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) && c.Rules == "" {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the settings can't be read: %w", err)
	}
	s, err := check.ReadSettings(text, ruleNames())
	if err != nil {
		return nil, fmt.Errorf("the settings %s can't be used: %w", file, err)
	}
	return s, nil
}

// baseline reads the baseline; nil if there is none.
func (c *Check) baseline() (*check.Baseline, error) {
	if c.Baseline == "" {
		return nil, nil
	}
	text, err := os.ReadFile(c.Baseline)
	switch {
	case errors.Is(err, os.ErrNotExist) && c.UpdateBaseline:
		return &check.Baseline{}, nil
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("there is no baseline %s; --update-baseline writes it", c.Baseline)
	case err != nil:
		return nil, fmt.Errorf("the baseline can't be read: %w", err)
	}
	b, err := check.ReadBaseline(text)
	if err != nil {
		return nil, fmt.Errorf("the baseline %s can't be used: %w", c.Baseline, err)
	}
	return b, nil
}

func (c *Check) writeBaseline(b *check.Baseline) error {
	text, err := b.Write()
	if err == nil {
		err = replace(c.Baseline, text)
	}
	if err != nil {
		return fmt.Errorf("the baseline can't be written: %w", err)
	}
	if !c.Quiet {
		fmt.Fprintf(os.Stderr, "webmcp-hub: written to %s: %d findings\n", c.Baseline, len(b.Findings))
	}
	return nil
}
