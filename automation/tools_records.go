package automation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"webmcphub/automation/records"
)

// listArguments choose a part of a list.
type listArguments struct {
	PageSize *int `json:"pageSize" least:"1"`
	PageIdx  *int `json:"pageIdx" is:"From 0"`
	pageArguments
}

func (a listArguments) paging() records.Paging {
	return records.Paging{PageSize: a.PageSize, PageIdx: a.PageIdx}
}

type listNetworkArguments struct {
	ResourceTypes []string `json:"resourceTypes" is:"document, script, xhr, fetch, image, …"`
	URLContains   string   `json:"urlContains"`
	Method        string   `json:"method"`
	Status        string   `json:"status" is:"404, 4xx, failed or pending"`
	Preserved     bool     `json:"includePreservedRequests" is:"Also of the last 3 documents"`
	listArguments
}

func (r *Request) listNetworkRequests(ctx context.Context, p *opened, a listNetworkArguments) (*Result, error) {
	list, err := p.records.Requests(records.RequestQuery{
		Paging: a.paging(), Types: a.ResourceTypes, URL: a.URLContains, Method: a.Method, Status: a.Status, Preserved: a.Preserved,
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
	ID           *int   `json:"reqid" is:"Else the last"`
	Offset       int    `json:"offset" is:"Where in its body to begin"`
	RequestFile  string `json:"requestFilePath" is:"Save the request's body"`
	ResponseFile string `json:"responseFilePath" is:"Save the response's body"`
	pageArguments
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
	detail.Leading(p.records.Redacted)
	return &Result{Text: detail.Text()}, nil
}

type listConsoleArguments struct {
	Types     []string `json:"types" is:"log, warn, error, issue, …"`
	Text      string   `json:"textContains"`
	Preserved bool     `json:"includePreservedMessages" is:"Also of the last 3 documents"`
	Stacks    bool     `json:"includeStackTraces"`
	listArguments
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
		Paging: a.paging(), Types: a.Types, Text: a.Text, Preserved: a.Preserved, Stacks: a.Stacks, Hides: r.judged.Hides(ctx),
	})
	if err != nil {
		return nil, err
	}
	return &Result{Text: list.Text()}, nil
}

// maxElements is how many elements an issue lists.
const maxElements = 10

type getConsoleArguments struct {
	ID int `json:"msgid" as:"required"`
	pageArguments
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
