package cdp

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/bridge"
	"webmcphub/registry"
)

const (
	setupRetries    = 3
	setupRetryDelay = time.Second

	// silentAfter is how long a page may take to answer for the first time. Frozen pages answer at once, and pages in
	// busy browsers within a second or two.
	silentAfter = 10 * time.Second
)

// attachment is the state of the link's attachment to the page.
type attachment struct {
	session      cdpclient.SessionID // the page's own session; "" while the hub is not attached
	waiting      bool                // the page is paused until Runtime.runIfWaitingForDebugger
	autoAttached bool                // Chrome has answered the session's Target.setAutoAttach
	silent       *time.Timer         // runs until the page answers for the first time; else nil
}

// autoAttachReply tags the reply to the session's Target.setAutoAttach. A page without a renderer (one that crashed
// before, or that Chrome discarded) answers that too.
type autoAttachReply struct{}

// silentDue says that the page has not answered yet. chromeAnswers tags the reply that shows whether Chrome itself
// answers.
type (
	silentDue     struct{ session cdpclient.SessionID }
	chromeAnswers struct{}
)

// setupStep tags the reply to one command of a session's setup.
type setupStep struct {
	command bridge.Command
	tries   int
}

// frameTreeReply tags the reply that lists the frames and documents that existed when the session was attached, or
// that has the address after a document's end.
type frameTreeReply struct{ gen registry.Gen }

// scriptKey identifies a script that the hub put into a session.
type scriptKey struct {
	session cdpclient.SessionID
	name    string
}

// titleReply tags the reply that has the page's title.
type titleReply struct{}

// askTitle asks for the page's title, because Chrome does not announce every change of it.
func (p *Link) askTitle() { p.conn.Post(p.session, "Target.getTargetInfo", nil, titleReply{}) }

// prepare sets up a session, of the page or of an out-of-process iframe. It posts all commands at once, so that a new
// document's first script finds everything in place, and so that nothing waits for a page that doesn't answer.
func (p *Link) prepare(s cdpclient.SessionID, waiting bool) {
	p.conn.Post(s, "Page.enable", nil, nil)
	p.conn.Post(s, "Page.getFrameTree", nil, frameTreeReply{p.Doc.Gen})
	p.conn.Post(s, "Runtime.enable", nil, nil)
	p.addScripts(s)
	p.conn.Post(s, lastSetup, nil, setupStep{command: bridge.Command{Method: lastSetup}, tries: setupRetries})
	// Chrome pauses a page's workers and worklets too, whatever the filter says. Only a session that is attached to
	// one can resume it.
	p.conn.Post(s, "Target.setAutoAttach",
		json.RawMessage(`{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,`+
			`"filter":[{"type":"iframe"},{"type":"worker"},{"type":"worklet"}]}`), autoAttachReply{})
	if s == p.session {
		p.expectAnswer()
	}
	if s == p.session && !waiting {
		p.askTitle()
	}
	if waiting {
		p.conn.Post(s, "Runtime.runIfWaitingForDebugger", nil, nil)
	}
}

// expectAnswer starts the timer that detects a page which doesn't answer the commands of prepare.
func (p *Link) expectAnswer() {
	p.endSilence()
	p.silent = p.After(silentAfter, silentDue{p.session})
}

// endSilence stops that timer, because the page has answered or the link no longer waits for it.
func (p *Link) endSilence() {
	if p.silent != nil {
		p.silent.Stop()
		p.silent = nil
	}
}

func (p *Link) answered(s cdpclient.SessionID) {
	if s == p.session && p.silent != nil {
		p.endSilence()
		p.RendererAnswered()
	}
}

// silentDue sends Chrome a command that Chrome itself answers, before the page counts as silent. If the hub or the
// browser was just too busy or asleep, the page isn't the cause.
func (p *Link) silentDue(m silentDue) {
	if p.silent != nil && m.session == p.session {
		p.conn.Post(p.session, "Target.getTargetInfo", nil, chromeAnswers{})
	}
}

func (p *Link) isSilent(s cdpclient.SessionID, err error) {
	switch {
	case p.silent == nil || s != p.session || sessionIsGone(err):
	case p.open != nil: // the dialog is the cause; it is known and will end
		p.expectAnswer()
	default:
		p.RendererSilent()
	}
}

// watchFront makes the page report when the user brings it to the front.
func (p *Link) watchFront(s cdpclient.SessionID) {
	if p.Env().Fronts.Load() && s == p.session {
		for _, c := range p.shared.front() {
			p.conn.Post(s, c.Method, cdpclient.Encoded(c.Params), nil)
		}
	}
}

// addScripts puts the hub's scripts into a session's documents. With introspect, the adapter makes tools of the page's
// content.
func (p *Link) addScripts(s cdpclient.SessionID) {
	commands := p.shared.bridge()
	if p.Env().Introspect && s == p.session {
		commands = slices.Concat(commands, p.shared.introspect())
	}
	if p.Env().LegacyModelContext {
		commands = slices.Concat(commands, p.shared.legacyName())
	}
	for _, c := range commands {
		p.install(s, setupStep{command: c})
	}
	p.watchFront(s)
}

func (p *Link) install(s cdpclient.SessionID, step setupStep) {
	step.tries++
	p.conn.Post(s, step.command.Method, cdpclient.Encoded(step.command.Params), step)
}

// reply handles the reply to a posted command.
func (p *Link) reply(r cdpclient.Reply) {
	switch tag := r.Tag.(type) {
	case autoAttachReply:
		p.autoAttached = p.autoAttached || r.Session == p.session
		p.answered(r.Session)
	case chromeAnswers:
		p.isSilent(r.Session, r.Err)
	case setupStep:
		p.setupReply(r.Session, tag, r.Err)
		p.replaceScript(r, tag.command.Script)
	case frameTreeReply:
		p.answered(r.Session)
		if r.Err == nil {
			p.frameTree(r.Session, tag, r.Result)
		}
	case errorCodeReply:
		p.errorCodeFound(tag, r)
	case webMCPReply:
		p.webMCPFound(tag, r)
	case titleReply:
		var reply struct{ TargetInfo cdpclient.TargetInfo }
		var info *tab.Info
		if r.Err == nil && json.Unmarshal(r.Result, &reply) == nil {
			info = &tab.Info{URL: reply.TargetInfo.URL, Title: reply.TargetInfo.Title}
		}
		p.TitleAnswered(info)
	case abortReply:
		tag.call.State.StopUnconfirmed = false
		delete(p.aborting, tag.call.State.Invocation)
	case invokeReply:
		p.invoked(tag.call, r)
	case executeReply:
		p.executed(tag.call, r)
	case requestReply:
		tag.requested(r)
	case scanReply:
		p.scanned(tag, r)
	case schemasReply:
		p.schemas(tag, r)
	}
}

// lastSetup is the last command of prepare whose failure is handled.
const lastSetup = "WebMCP.enable"

func targetCrashed(err error) bool {
	var refusal *cdpclient.Error
	return errors.As(err, &refusal) && refusal.Message == "Target crashed"
}

func (p *Link) setupReply(s cdpclient.SessionID, step setupStep, err error) {
	switch {
	case err == nil, sessionIsGone(err):
	case targetCrashed(err): // it crashed before the hub came; Chrome says so when it is reloaded
		if step.command.Method == lastSetup {
			p.prepare(s, false)
		}
	case step.tries <= setupRetries && step.command.Params != nil:
		p.After(setupRetryDelay, retryDue{s, step})
	default:
		p.Log.Warn(fmt.Sprintf("%s failed; tools reached this way stay unseen on this page", step.command.Method),
			"err", err)
	}
}

// replaceScript removes an earlier copy of a script.
func (p *Link) replaceScript(r cdpclient.Reply, name string) {
	var reply struct{ Identifier string }
	if r.Err != nil || json.Unmarshal(r.Result, &reply) != nil || reply.Identifier == "" {
		return
	}
	script := scriptKey{r.Session, name}
	if old := p.scripts[script]; old != "" {
		p.conn.Post(r.Session, "Page.removeScriptToEvaluateOnNewDocument", map[string]string{"identifier": old}, nil)
	}
	p.scripts[script] = reply.Identifier
}

// frameTree adds the frames that existed before the session was attached. What events have reported meanwhile is
// newer.
func (p *Link) frameTree(s cdpclient.SessionID, tag frameTreeReply, result json.RawMessage) {
	var reply struct{ FrameTree cdpclient.FrameTree }
	if err := json.Unmarshal(result, &reply); err != nil {
		p.Log.Warn("Page.getFrameTree could not be read", "err", err)
		return
	}
	if s != p.session || tag.gen != p.Doc.Gen || !p.BetweenDocuments() {
		p.learnFrames(s, reply.FrameTree)
		return
	}
	// The document appeared without Page.frameNavigated, so Chrome prerendered it. Chrome announces neither its
	// frames nor its load, and the bridge isn't in it.
	p.mainIs(registry.FrameID(reply.FrameTree.Frame.ID))
	p.arrives(reply.FrameTree.Frame)
	p.learnFrames(s, reply.FrameTree)
	p.mainArrived(reply.FrameTree.Frame.URL)
	p.addScripts(s)
	p.loadEventFired(s, struct{}{})
}

func (p *Link) learnFrames(s cdpclient.SessionID, t cdpclient.FrameTree) {
	f := p.frames[registry.FrameID(t.Frame.ID)]
	if f == nil && p.rootOf(s) == nil || f != nil && f.session != s {
		return // the frame that s reports is gone
	}
	if f == nil {
		f = p.addFrame(registry.FrameID(t.Frame.ID), registry.FrameID(t.Frame.ParentID), s)
		f.found = true
	} else if t.Frame.ParentID != "" {
		f.parent = registry.FrameID(t.Frame.ParentID) // an event may have reported the frame without its parent
	}
	if f.url == "" {
		f.arriveAt(t.Frame.URL)
		if f == p.main && !p.BetweenDocuments() {
			p.arrives(t.Frame)
			// The document may have loaded before Page.enable. Chrome answers Target.getTargetInfo before that, so the
			// title is asked for again.
			p.askForWebMCP()
			p.askTitle()
			p.ReportSoon()
		}
	}
	if f == p.main && !p.BetweenDocuments() && p.Doc.URL != t.Frame.URL {
		p.Doc.SetNextURL(t.Frame.URL)
		p.askTitle()
		p.TellPage()
	}
	for _, kid := range t.ChildFrames {
		p.learnFrames(s, kid)
	}
}
