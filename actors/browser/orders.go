package browser

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"
	"webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
	"webmcphub/registry"

	"webmcphub/registry/sanitize"
)

// versionReply tags the reply that names the browser. attachReply tags the reply that comes when Chrome has announced
// its tabs.
type (
	versionReply struct{}
	attachReply  struct{}
)

// reachChrome answers an order to reach Chrome, at once or when an attempt has ended.
func (b *Actor) reachChrome(o *supervisor.Order) {
	if b.Stopping() {
		o.Give(supervisor.Answer{Err: supervisor.ErrStopped})
		return
	}
	if o.Here && !b.ready {
		o.Give(supervisor.Answer{Err: supervisor.ErrNoBrowser})
		return
	}
	b.waiting = append(b.waiting, o)
	if b.ready {
		b.answerWaiting(supervisor.Answer{Info: b.info})
	}
	if b.conn == nil && !b.Awaits(dialling{}) {
		if b.retry != nil {
			b.retry.Stop()
		}
		b.dial(o.Launch)
	}
}

// wantsLaunch says whether a caller waits for a Chrome to be started.
func (b *Actor) wantsLaunch() bool {
	for _, o := range b.waiting {
		if o.Launch {
			return b.reach.Launcher != nil
		}
	}
	return false
}

// answerWaiting answers those who wait for Chrome, by way of the registry actor. So the catalog has what the actor
// reported before when they get the answer.
func (b *Actor) answerWaiting(a supervisor.Answer) {
	if b.waiting != nil {
		b.Root.Send(b.Registry, supervisor.Answered{Orders: b.waiting, Answer: a})
		b.waiting = nil
	}
}

// named reads the browser's name from the reply to Browser.getVersion.
func (b *Actor) named(r cdpclient.Reply) {
	var v cdpclient.BrowserVersion
	_ = json.Unmarshal(r.Result, &v)
	name, version, _ := strings.Cut(v.Product, "/")
	name = strings.TrimPrefix(name, "Headless")
	if name == "" {
		name = "Chrome"
	}
	b.info = supervisor.BrowserInfo{Name: sanitize.Text(name, 64), Version: sanitize.Text(version, 64)}
}

// ordered begins to carry out an order.
func (b *Actor) ordered(o *supervisor.Order) {
	switch {
	case o.Does == supervisor.ReachBrowser:
		b.reachChrome(o)
		return
	case b.conn == nil:
		o.Give(supervisor.Answer{Err: supervisor.ErrNoBrowser})
		return
	}
	switch o.Does {
	case supervisor.ConnectTab, supervisor.DisconnectTab:
		t := b.tabs.Get(o.Page)
		if t == nil {
			o.Give(supervisor.Answer{Err: tab.ErrClosed})
			return
		}
		b.chosen[o.Page] = o.Does == supervisor.ConnectTab
		b.tabs.Want(t, o)
	case supervisor.OpenTab:
		if o.May != nil {
			if err := o.May(); err != nil {
				o.Give(supervisor.Answer{Err: err})
				return
			}
		}
		b.conn.Post("", cdpclient.TargetCreateTarget, createTarget{o.URL, o.Background}, o)
	case supervisor.FocusTab:
		b.TellFront(o)
		b.conn.Post("", cdpclient.TargetActivateTarget, targetParams{b.targetOf(o.Page)}, o)
	case supervisor.CloseTab:
		b.TellFront(o)
		b.closeTab(o)
	case supervisor.ListTitles:
		b.conn.Post("", cdpclient.TargetGetTargets,
			listPages{[]cdpclient.TargetFilterEntry{{Type: cdpclient.TypePage}}}, o)
	}
}

// closeTab closes a tab, and before that the dialog that is open in it. Chromium 156 without a window crashes if a
// tab is closed while one of its out-of-process frames shows a dialog. The tab knows about the dialog. If the tab
// ends first, no dialog is left.
func (b *Actor) closeTab(o *supervisor.Order) {
	conn, target := b.conn, targetParams{b.targetOf(o.Page)}
	var once sync.Once
	posted := make(chan struct{}) // closed when the commands have been posted
	closing := func(d *cdpclient.OpenDialog) {
		once.Do(func() {
			defer close(posted)
			if d != nil {
				answer := cdpclient.HandleJavaScriptDialogParams{Accept: d.Kind == "beforeunload"}
				conn.Post(d.Session, cdpclient.PageHandleJavaScriptDialog, answer, nil)
			}
			conn.Post("", cdpclient.TargetCloseTarget, target, o)
		})
	}
	t := b.tabs.Get(o.Page)
	if t == nil {
		closing(nil)
		return
	}
	b.tabs.Send(t, cdp.FindDialog{Give: closing})
	go func() {
		select {
		case <-t.To.Gone():
			closing(nil)
		case <-posted:
		}
	}()
}

// carriedOut answers an order to which Chrome has replied. It also passes on the parts of the reply that others need.
func (b *Actor) carriedOut(o *supervisor.Order, r cdpclient.Reply) {
	answer := supervisor.Answer{Err: r.Err}
	switch {
	case r.Err != nil:
	case o.Does == supervisor.OpenTab:
		var created cdpclient.CreateTargetResult
		if answer.Err = json.Unmarshal(r.Result, &created); answer.Err == nil {
			answer = b.Opened(o, b.page(string(created.TargetID)))
		}
	case o.Does == supervisor.ListTitles:
		answer.Titles, answer.Err = b.titled(r.Result)
	}
	o.Give(answer)
}

// titled tells the tabs the titles that Chrome has listed. Chrome announces few of the titles that scripts set, but
// its list has all.
func (b *Actor) titled(list json.RawMessage) (map[registry.PageID]registry.Title, error) {
	var listed struct{ TargetInfos []cdpclient.TargetInfo }
	if err := json.Unmarshal(list, &listed); err != nil {
		return nil, err
	}
	titles := make(map[registry.PageID]registry.Title, len(listed.TargetInfos))
	for _, info := range listed.TargetInfos {
		page := b.page(info.TargetID)
		titles[page] = registry.Title{URL: info.URL, Text: info.Title}
		if t := b.tabs.Get(page); t != nil {
			b.tabs.Send(t, tab.TitleListed{URL: info.URL, Title: info.Title})
		}
	}
	return titles, nil
}

// debug gives the connection to Chrome, by which a tab is reached.
func (b *Actor) debug(m supervisor.Debug) {
	switch t := b.tabs.Get(m.Page); {
	case b.conn == nil:
		m.Give(supervisor.Debugged{}, supervisor.ErrNoBrowser)
	case t == nil:
		m.Give(supervisor.Debugged{}, tab.ErrClosed)
	case !b.wants(m.Page):
		m.Give(supervisor.Debugged{}, errors.New(registry.PageNotConnected))
	default:
		m.Give(supervisor.Debugged{Conn: b.conn, Target: b.targetOf(m.Page), PageOf: b.page, Origins: b.Origins}, nil)
	}
}

// createTarget has the parameters of Target.createTarget, listPages those of Target.getTargets, and targetParams
// those of commands that take only a target id.
type (
	createTarget struct {
		URL        string `json:"url"`
		Background bool   `json:"background,omitempty"`
	}
	listPages struct {
		Filter []cdpclient.TargetFilterEntry `json:"filter"`
	}
	targetParams struct {
		Target string `json:"targetId"`
	}
)

// isOrder says whether a message is the reply to an order. A caller waits for it, whatever has become of the
// connection.
func isOrder(m cdpclient.Message) bool {
	r, ok := m.(cdpclient.Reply)
	if ok {
		_, ok = r.Tag.(*supervisor.Order)
	}
	return ok
}
