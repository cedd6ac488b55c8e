package automation

import (
	"context"

	"webmcphub/automation/records"
)

func (r *Request) listConsoleMessages(ctx context.Context) (*Result, error) {
	var a struct {
		pageArguments
		Types     []string `json:"types"`
		Text      string   `json:"textContains"`
		Preserved bool     `json:"includePreservedMessages"`
		Stacks    bool     `json:"includeStackTraces"`
		PageSize  *int     `json:"pageSize"`
		PageIdx   *int     `json:"pageIdx"`
	}
	if err := r.decode(&a); err != nil {
		return nil, err
	}
	t, err := r.page(ctx, a.PageID)
	if err != nil {
		return nil, err
	}
	list, err := t.records.Messages(records.MessageQuery{
		Paging: records.Paging{PageSize: a.PageSize, PageIdx: a.PageIdx},
		Types:  a.Types, Text: a.Text, Preserved: a.Preserved, Stacks: a.Stacks,
	})
	if err != nil {
		return nil, err
	}
	return &Result{Text: list.Text()}, nil
}

func (r *Request) getConsoleMessage(ctx context.Context) (*Result, error) {
	var a struct {
		pageArguments
		ID int `json:"msgid"`
	}
	if err := r.decode(&a); err != nil {
		return nil, err
	}
	t, err := r.page(ctx, a.PageID)
	if err != nil {
		return nil, err
	}
	_, text, err := t.records.Message(a.ID)
	if err != nil {
		return nil, err
	}
	return &Result{Text: text}, nil
}
