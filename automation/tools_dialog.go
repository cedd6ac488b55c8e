package automation

import (
	"context"
	"fmt"

	"webmcphub/automation/page"
)

func (r *Request) handleDialog(ctx context.Context) (*Result, error) {
	var a struct {
		pageArguments
		Action string `json:"action"`
		Prompt string `json:"promptText"`
	}
	if err := r.decode(&a); err != nil {
		return nil, err
	}
	p, err := r.page(ctx, a.PageID)
	if err != nil {
		return nil, err
	}
	answered, err := p.HandleDialog(page.DespiteDialog(ctx), a.Action == "accept", a.Prompt)
	if err != nil {
		return nil, fmt.Errorf("nothing was answered: %w", err)
	}
	did := "accepted"
	if a.Action != "accept" {
		did = "dismissed"
	}
	return says("The %s %q was %s.", answered.Kind, answered.Message, did), nil
}
