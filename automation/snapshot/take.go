package snapshot

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"webmcphub/automation/page"
	"webmcphub/automation/snapshot/tree"
)

// Tab is what snapshots of one tab share: its uids, and what each client saw last. Any goroutine may use it.
type Tab struct {
	mu    sync.Mutex
	want  // how the page is asked the next time
	table *Table
	last  map[string]*tree.Tree
}

// NewTab returns the Tab of a tab. Each tab of this process must have a different n.
func NewTab(n int) *Tab {
	return &Tab{want: want{patience: childPatience}, table: NewTable(n), last: map[string]*tree.Tree{}}
}

// Forget drops what a client saw. It is called when the client is gone.
func (t *Tab) Forget(client string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.last, client)
	t.table.Forget(client)
}

// Lookup returns what a client means by a uid. If the uid means nothing now, the error is a *[StaleError] or an
// *[UnknownError].
func (t *Tab) Lookup(client, uid string) (Known, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.table.Lookup(client, uid)
}

// Options say what a snapshot shows.
type Options struct {
	View
	Client string // the client that asks; its uids mean what it has been shown
	Diff   bool   // show only what changed since the client's last snapshot, if the document is the same
}

// Snapshot is a page at one moment.
type Snapshot struct {
	Rendering
	Tree *tree.Tree
}

// Take takes a snapshot of a page. It asks all of the page's frames, but waits long only for the main one. Frames
// that can't be read are listed as such.
func (t *Tab) Take(ctx context.Context, p *page.Page, o Options) (*Snapshot, error) {
	keep := map[tree.Key]bool{}
	if _, err := matcher(o.Query); err != nil {
		return nil, err
	}
	if o.Root != "" {
		known, err := t.Lookup(o.Client, o.Root)
		if err != nil {
			return nil, err
		}
		keep[known.Key] = true
	}
	now, err := t.look(ctx, p, keep)
	if err != nil {
		return nil, err
	}
	defer t.mu.Unlock()
	t.assign(now, o)
	return t.show(now, o)
}

// look makes a tree of the page as it is now, in which nodes of keep stay. It retires the uids of documents that are
// gone. Unless it returns an error, the caller unlocks mu.
func (t *Tab) look(ctx context.Context, p *page.Page, keep map[tree.Key]bool) (*tree.Tree, error) {
	t.mu.Lock()
	how := t.want
	t.mu.Unlock()
	docs, err := collect(ctx, p, how)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	t.retire(docs)
	t.small = smallOnes(docs)
	return tree.Build(docs, keep), nil
}

// Reasons why uids are retired.
const (
	frameGone    = "its frame was removed"
	navigated    = "its document navigated away"
	attachedAnew = "the hub has connected to its page anew since"
	removed      = "it was removed from the page"
	hidden       = "it is hidden now, or has no role any more"
)

// retire retires the uids whose documents are gone.
func (t *Tab) retire(docs []*tree.Document) {
	there := map[string]*tree.Document{}
	for _, d := range docs {
		there[d.Frame] = d
	}
	retire := func(why string, which func(k tree.Key, now *tree.Document) bool) {
		t.table.Retire(why, func(k tree.Key) bool { return which(k, there[k.Frame]) })
	}
	retire(frameGone, func(_ tree.Key, now *tree.Document) bool { return now == nil })
	retire(navigated, func(k tree.Key, now *tree.Document) bool { return k.Loader != now.Loader })
	retire(attachedAnew, func(k tree.Key, now *tree.Document) bool { return k.Session != now.Session })
}

func (t *Tab) assign(now *tree.Tree, o Options) {
	assign(now, t.table, o.Verbose)
	if o.Root == "" {
		return
	}
	if known, err := t.table.Lookup(o.Client, o.Root); err == nil {
		if n := now.FindKey(known.Key); n != nil {
			n.UID = o.Root
			for _, c := range n.Children {
				if n.Traits.Select {
					c.UID = t.table.Assign(c.Key, label(c), c.Traits.ByText)
				}
			}
		}
	}
}

// show renders a tree, and records what its client has seen.
func (t *Tab) show(now *tree.Tree, o Options) (*Snapshot, error) {
	got, err := t.render(now, o)
	if err != nil {
		return nil, err
	}
	for _, n := range got.Shown {
		t.table.Shown(o.Client, n)
	}
	if o.Root == "" && o.Query == "" {
		t.last[o.Client] = now
	}
	return &Snapshot{Rendering: *got, Tree: now}, nil
}

func (t *Tab) render(now *tree.Tree, o Options) (*Rendering, error) {
	if before := t.last[o.Client]; o.Diff && before != nil && before.Root.Key == now.Root.Key {
		got := Changes(before, now, o.budget())
		if got.Text == "" {
			got.Text = "nothing has changed since your last snapshot\n"
		}
		return got, nil
	}
	return Render(now, o.View, func(n *tree.Node) string { return t.table.Assign(n.Key, label(n), false) })
}

// Shown returns the line of a node in the client's last snapshot, which begins with the uid, or "" if that snapshot
// doesn't have the node.
func (t *Tab) Shown(client, session string, backend int) (line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.last[client]
	if before == nil {
		return ""
	}
	before.Root.Walk(0, func(n *tree.Node, _ int) bool {
		if n.UID != "" && n.Key.Session == session && n.Key.Backend == backend {
			line = usual.line(n)
		}
		return line == ""
	})
	return line
}

// Note records how the page is now, as if the client had just seen it. [Tab.Changes] then reports what is different
// since.
func (t *Tab) Note(ctx context.Context, p *page.Page, client string) error {
	now, err := t.look(ctx, p, nil)
	if err != nil {
		return err
	}
	defer t.mu.Unlock()
	assign(now, t.table, false)
	t.last[client] = now
	return nil
}

// maxCompared is how many DOM nodes a page may have had for [Tab.Changes] to look at it again. It reads all of them,
// which takes a second for some 40,000.
const maxCompared = 15_000

// shows says whether the page's main document is still that of a tree's root.
func shows(p *page.Page, root tree.Key) bool {
	main, there := p.Main()
	return there && main.ID == root.Frame && main.Loader == root.Loader
}

// ErrLarge says that what changed in a page is not looked for, because the page is large.
var ErrLarge = errors.New("what changed is not shown, because the page is large: take_snapshot shows it with diff")

// Changes reports, in at most [ChangeTokens] tokens, what is different since the client's last snapshot or report of
// changes. The text is "" if nothing is, or if the client has had none. If the page is large, the error is
// [ErrLarge].
func (t *Tab) Changes(ctx context.Context, p *page.Page, client string) (*Snapshot, error) {
	t.mu.Lock()
	before := t.last[client]
	t.mu.Unlock()
	switch {
	case before == nil:
		return &Snapshot{}, nil
	case before.Read > maxCompared && shows(p, before.Root.Key):
		return nil, ErrLarge
	}
	now, err := t.look(ctx, p, nil)
	if err != nil {
		return nil, fmt.Errorf("what changed is not known: %w", err)
	}
	defer t.mu.Unlock()
	assign(now, t.table, false)
	got := Changes(before, now, ChangeTokens)
	for _, n := range got.Shown {
		t.table.Shown(client, n)
	}
	t.last[client] = now
	return &Snapshot{Rendering: *got, Tree: now}, nil
}
