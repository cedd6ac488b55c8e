package automation

import (
	"context"

	"webmcphub/automation/snapshot"
)

// leastTokens is what a snapshot needs to say anything.
const leastTokens = 200

type snapshotArguments struct {
	Diff         bool   `json:"diff" is:"Since your last"`
	Query        string `json:"query" is:"Only this text or /regex/"`
	Root         string `json:"root" is:"uid: only what is in it"`
	Skip         int    `json:"skip" least:"1"`
	Depth        int    `json:"depth" least:"1"`
	MaxTokens    *int   `json:"maxTokens" is:"Default: 6000; 0: all"`
	ViewportOnly bool   `json:"viewportOnly"`
	Verbose      bool   `json:"verbose" is:"more uids"`
	fileArgument
	pageArguments
}

type fileArgument struct {
	FilePath string `json:"filePath" is:"Save to this file instead"`
}

func (r *Request) takeSnapshot(ctx context.Context, p *opened, a snapshotArguments) (*Result, error) {
	view := snapshot.View{Root: a.Root, Skip: a.Skip, Depth: a.Depth, Query: a.Query, Verbose: a.Verbose,
		ViewportOnly: a.ViewportOnly}
	switch {
	case a.MaxTokens == nil && a.FilePath != "", a.MaxTokens != nil && *a.MaxTokens == 0:
		view.MaxTokens = -1 // all of it
	case a.MaxTokens != nil:
		view.MaxTokens = max(*a.MaxTokens, leastTokens)
	}
	s, err := p.tab.seen.Take(ctx, p.Page, snapshot.Options{View: view, Client: r.Client.ID, Diff: a.Diff})
	if err != nil {
		return nil, err
	}
	if a.FilePath == "" {
		return &Result{Text: s.Text}, nil
	}
	saved, err := r.folders(ctx).SaveText(a.FilePath, ".txt", secrets.Text(s.Text))
	if err != nil {
		return nil, err
	}
	return resultf("The snapshot was saved to %s (about %d tokens).", saved, s.Tokens), nil
}
