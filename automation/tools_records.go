package automation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"webmcphub/automation/records"
)

type listNetworkArguments struct {
	pageArguments
	ResourceTypes []string `json:"resourceTypes"`
	URLContains   string   `json:"urlContains"`
	Method        string   `json:"method"`
	Status        string   `json:"status"`
	Preserved     bool     `json:"includePreservedRequests"`
	PageSize      *int     `json:"pageSize"`
	PageIdx       *int     `json:"pageIdx"`
}

func (r *Request) listNetworkRequests(ctx context.Context) (*Result, error) {
	var a listNetworkArguments
	if err := r.decode(&a); err != nil {
		return nil, err
	}
	t, err := r.page(ctx, a.PageID)
	if err != nil {
		return nil, err
	}
	list, err := t.records.Requests(records.RequestQuery{
		Paging: records.Paging{PageSize: a.PageSize, PageIdx: a.PageIdx},
		Types:  a.ResourceTypes, URL: a.URLContains, Method: a.Method, Status: a.Status, Preserved: a.Preserved,
		Hides: r.judged.Hides(ctx),
	})
	if err != nil {
		return nil, err
	}
	text := list.Text()
	if all := t.records.Downloads(r.judged.Hides(ctx)); len(all.Downloads) > 0 {
		text += "Downloads:\n" + all.Text()
	}
	return &Result{Text: text}, nil
}

func (r *Request) getNetworkRequest(ctx context.Context) (*Result, error) {
	var a struct {
		pageArguments
		ID           *int   `json:"reqid"`
		Offset       int    `json:"offset"`
		RequestFile  string `json:"requestFilePath"`
		ResponseFile string `json:"responseFilePath"`
	}
	if err := r.decode(&a); err != nil {
		return nil, err
	}
	t, err := r.page(ctx, a.PageID)
	if err != nil {
		return nil, err
	}
	if a.ID == nil {
		list, err := t.records.Requests(records.RequestQuery{Hides: r.judged.Hides(ctx)})
		if err != nil {
			return nil, err
		}
		if len(list.Requests) == 0 {
			return nil, errors.New("no request of the page is recorded; list_network_requests says more")
		}
		a.ID = &list.Requests[len(list.Requests)-1].ID
	}
	if err := r.judged.SeesAll(ctx, t.records.RequestOf(*a.ID)); err != nil {
		return nil, err
	}
	detail, err := t.records.Request(ctx, records.RecordedRequest{
		ID: *a.ID, Offset: a.Offset, RequestFile: a.RequestFile, ResponseFile: a.ResponseFile,
		Save: func(ctx context.Context, path, extension string, data []byte) (string, error) {
			return r.folders(ctx).Save(path, extension, func(w io.Writer) error { _, err := w.Write(data); return err })
		},
	})
	if err != nil {
		return nil, err
	}
	detail.Leading(t.records.Told)
	return &Result{Text: detail.Text()}, nil
}

func (r *Request) listConsoleMessages(ctx context.Context) (*Result, error) {
	var a struct {
		pageArguments
		Types     []string `json:"types"`
		Text      string   `json:"textContains"`
		Preserved bool     `json:"includePreservedMessages"`
		Stacks    bool     `json:"includeStackTraces"`
		PageSize  *int     `json:"pageSize"`
		PageIdx   *int     `json:"pageIdx"`
		workerArguments
	}
	if err := r.decode(&a); err != nil {
		return nil, err
	}
	if err := a.refusal(); err != nil {
		return nil, err
	}
	t, err := r.page(ctx, a.PageID)
	if err != nil {
		return nil, err
	}
	list, err := t.records.Messages(records.MessageQuery{
		Paging: records.Paging{PageSize: a.PageSize, PageIdx: a.PageIdx},
		Types:  a.Types, Text: a.Text, Preserved: a.Preserved, Stacks: a.Stacks, Hides: r.judged.Hides(ctx),
	})
	if err != nil {
		return nil, err
	}
	return &Result{Text: list.Text()}, nil
}

// maxElements is of how many elements an issue tells.
const maxElements = 10

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
	if err := r.judged.SeesAll(ctx, t.records.MessageOf(a.ID)); err != nil {
		return nil, err
	}
	m, text, err := t.records.Message(a.ID)
	if err != nil {
		return nil, err
	}
	for i, n := range m.Nodes {
		if i == maxElements {
			text += fmt.Sprintf("and %d more elements\n", len(m.Nodes)-i)
			break
		}
		text += "Element: " + cmp.Or(t.tab.seen.Shown(r.Client.ID, n.Session, n.Backend),
			"not in your last snapshot of the page") + "\n"
	}
	return &Result{Text: text}, nil
}
