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

func (r *Request) listNetworkRequests(ctx context.Context, p *opened, a listNetworkArguments) (*Result, error) {
	list, err := p.records.Requests(records.RequestQuery{
		Paging: records.Paging{PageSize: a.PageSize, PageIdx: a.PageIdx},
		Types:  a.ResourceTypes, URL: a.URLContains, Method: a.Method, Status: a.Status, Preserved: a.Preserved,
		Hides: r.judged.Hides(ctx),
	})
	if err != nil {
		return nil, err
	}
	text := list.Text()
	if all := p.records.Downloads(r.judged.Hides(ctx)); len(all) > 0 {
		text += "Downloads:\n" + all.Text()
	}
	return &Result{Text: text}, nil
}

type getNetworkArguments struct {
	pageArguments
	ID           *int   `json:"reqid"`
	Offset       int    `json:"offset"`
	RequestFile  string `json:"requestFilePath"`
	ResponseFile string `json:"responseFilePath"`
}

func (r *Request) getNetworkRequest(ctx context.Context, p *opened, a getNetworkArguments) (*Result, error) {
	if a.ID == nil {
		list, err := p.records.Requests(records.RequestQuery{Hides: r.judged.Hides(ctx)})
		if err != nil {
			return nil, err
		}
		if len(list.Requests) == 0 {
			return nil, errors.New("no request of the page is recorded; list_network_requests says more")
		}
		a.ID = &list.Requests[len(list.Requests)-1].ID
	}
	if err := r.judged.SeesAll(ctx, p.records.RequestOf(*a.ID)); err != nil {
		return nil, err
	}
	detail, err := p.records.Request(ctx, records.RecordedRequest{
		ID: *a.ID, Offset: a.Offset, RequestFile: a.RequestFile, ResponseFile: a.ResponseFile,
		Save: func(ctx context.Context, path, extension string, data []byte) (string, error) {
			return r.folders(ctx).Save(path, extension, func(w io.Writer) error { _, err := w.Write(data); return err })
		},
	})
	if err != nil {
		return nil, err
	}
	detail.Leading(p.records.Told)
	return &Result{Text: detail.Text()}, nil
}

type listConsoleArguments struct {
	pageArguments
	Types     []string `json:"types"`
	Text      string   `json:"textContains"`
	Preserved bool     `json:"includePreservedMessages"`
	Stacks    bool     `json:"includeStackTraces"`
	PageSize  *int     `json:"pageSize"`
	PageIdx   *int     `json:"pageIdx"`
	workerArguments
}

func (r *Request) listConsoleMessages(ctx context.Context, a listConsoleArguments) (*Result, error) {
	if err := a.refusal(); err != nil {
		return nil, err
	}
	p, err := r.page(ctx, a.PageID)
	if err != nil {
		return nil, err
	}
	list, err := p.records.Messages(records.MessageQuery{
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

type getConsoleArguments struct {
	pageArguments
	ID int `json:"msgid"`
}

func (r *Request) getConsoleMessage(ctx context.Context, p *opened, a getConsoleArguments) (*Result, error) {
	if err := r.judged.SeesAll(ctx, p.records.MessageOf(a.ID)); err != nil {
		return nil, err
	}
	m, text, err := p.records.Message(a.ID)
	if err != nil {
		return nil, err
	}
	for i, n := range m.Nodes {
		if i == maxElements {
			text += fmt.Sprintf("and %d more elements\n", len(m.Nodes)-i)
			break
		}
		text += "Element: " + cmp.Or(p.tab.seen.Shown(r.Client.ID, n.Session, n.Backend),
			"not in your last snapshot of the page") + "\n"
	}
	return &Result{Text: text}, nil
}
