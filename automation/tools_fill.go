package automation

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"webmcphub/automation/input"

	"webmcphub/automation/schema"
	"webmcphub/registry/sanitize"
)

// fieldArguments are a field and what it is to hold.
type fieldArguments struct {
	uidArgument
	Value schema.TextOrTexts `json:"value" as:"required"`
}

type fillArguments struct {
	fieldArguments
	inputArguments
}

func (r *Request) fill(ctx context.Context, p *opened, a fillArguments) (*Result, error) {
	node, out, err := r.onUID(ctx, p, a.UID, func(n input.Node) (*input.Outcome, error) {
		return p.input.Fill(ctx, n, a.Value, a.limits())
	})
	return r.actionResult(ctx, p, "Filled "+node.String(), out, err, a.Snapshot)
}

type formArguments struct {
	Elements []fieldArguments `json:"elements" least:"1" as:"required"`
	inputArguments
}

func (r *Request) fillForm(ctx context.Context, p *opened, a formArguments) (*Result, error) {
	fields, at := []input.Field{}, []int{}
	results := make([]input.FieldResult, len(a.Elements))
	for i, e := range a.Elements {
		node, err := r.awaited(ctx, p, e.UID)
		if refused := (Refused{}); errors.As(err, &refused) {
			return nil, refused // refuse the whole call before the first field is filled
		} else if results[i].Err = err; err != nil {
			continue
		}
		fields, at = append(fields, input.Field{Node: node, Values: e.Value}), append(at, i)
	}
	filled, err := p.input.FillForm(ctx, fields, a.limits())
	if err == nil {
		err = input.EndedAmong(filled)
	}
	if err != nil {
		return nil, err
	}
	for i, result := range filled {
		results[at[i]] = result
	}
	var lines []string
	failed := 0
	all := &input.Outcome{}
	for i, result := range results {
		line := sanitize.Text(a.Elements[i].UID, 40) + ": "
		if result.Err == nil {
			result.Err = result.Outcome.Undone()
		}
		if result.Err != nil {
			failed++
			line += "not filled: " + r.sayable(ctx, result.Err).Error()
		} else {
			line += heldBy(result)
		}
		lines = append(lines, line)
		if result.Outcome != nil {
			all = all.Then(result.Outcome)
		}
	}
	all.Value, all.Note = "", ""
	result, err := r.actionResult(ctx, p, fmt.Sprintf("Filled %d of %d fields.\n%s", len(results)-failed, len(results),
		strings.Join(lines, "\n")), all, nil, a.Snapshot)
	if err == nil && failed > 0 {
		result.IsError = true
	}
	return result, err
}

// heldBy says what a field holds now.
func heldBy(f input.FieldResult) string {
	if f.Note == "" {
		return "holds " + quoted(f.Value)
	}
	return "holds " + quoted(f.Value) + "; " + f.Note
}
