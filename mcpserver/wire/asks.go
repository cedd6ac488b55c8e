package wire

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
)

const (
	// MaxQuestions is how many requests of pages and of the hub one client may have to answer at a time.
	MaxQuestions = 8
	// maxUnread is how many messages may wait for a request's own response over HTTP, because nobody may be reading
	// it any more.
	maxUnread = 2 * MaxQuestions
)

// Ask sends the client a request and waits for its answer until ctx ends. If the request belongs to a client's
// request over HTTP, during, it is sent on the response to that request. The time limit of during stops meanwhile.
// Errors are [registry.PageError]s.
func (c *Conn) Ask(ctx context.Context, method string, params json.RawMessage,
	during *Request) (json.RawMessage, error) {
	if rounds := during.inRounds(); rounds != nil {
		c.mu.Lock()
		defer c.opened(during)()
		c.mu.Unlock()
		return rounds.ask(ctx, method, params)
	}
	refuse := func(text string) (json.RawMessage, error) { return nil, notPassedOn(method, text) }
	c.mu.Lock()
	if len(c.asks) >= MaxQuestions {
		c.mu.Unlock()
		return refuse(fmt.Sprintf("the agent's client has %d requests to answer already", MaxQuestions))
	}
	// The ids are random because a client that has come from a hub that ended may still answer that hub's requests.
	id := strconv.Quote("webmcp-hub-" + rand.Text())
	if !c.toClient(jsonrpc.Request(json.RawMessage(id), method, params), during) {
		c.mu.Unlock()
		return refuse("the agent's client can't be reached now; over HTTP it must have its event stream open")
	}
	answer := make(chan Reply, 1)
	c.asks[id] = answer
	if during != nil {
		defer c.opened(during)()
	}
	c.mu.Unlock()

	select {
	case a := <-answer:
		if a.Err != nil {
			return nil, registry.PageError{Code: a.Err.Code, Text: "the agent's client answered: " +
				cut(a.Err.Message, 4096)}
		}
		return a.Result, nil
	case <-ctx.Done():
	}
	why := reason(ctx)
	c.mu.Lock()
	delete(c.asks, id)
	c.toClient(jsonrpc.Notification(string(mcp.MethodNotificationCancelled),
		json.RawMessage(`{"requestId":`+id+`,"reason":`+strconv.Quote(why)+`}`)), during)
	c.mu.Unlock()
	return nil, notAnswered(ctx, method)
}

// opened notes that the document asks the client something during a request, and stops the request's time limit until
// answered is called. mu must be held during opened, and must not be held when answered is called.
func (c *Conn) opened(during *Request) (answered func()) {
	since, release := during.inquiry.since, during.inquiry.clock.hold()
	during.inquiry.open++
	during.inquiry.last = time.Now()
	return func() {
		release()
		c.mu.Lock()
		defer c.mu.Unlock()
		if during.inquiry.since.Equal(since) { // otherwise the hub asks another document by now
			during.inquiry.open--
		}
	}
}

// toClient sends a message that belongs to a request of the client, or to none if during is nil. It returns false if
// nobody would read the message. mu must be held.
func (c *Conn) toClient(f jsonrpc.Frame, during *Request) bool {
	if during != nil {
		during = during.Whole()
	}
	switch {
	case c.stopping:
		return false
	case during != nil && during.direct != nil && during.direct.streams && !during.over:
		if !during.direct.hasRoom() {
			return false
		}
		during.direct.add(&entry{Frame: f})
	case c.hears() && len(c.queue.waiting) < MaxConcurrent:
		c.queue.send(f)
	default:
		return false
	}
	return true
}

// ClientAnswered accepts the client's answer to a request of the hub. It ignores answers to unknown requests, and to
// those that nobody waits for any more.
func (c *Conn) ClientAnswered(m *jsonrpc.Message) {
	var a Reply
	if a.Result, a.Err = m.Answer(); a.Err == nil && !jsonrpc.IsObject(a.Result) {
		a.Err = jsonrpc.Errorf(jsonrpc.CodeInternal, "a result that is no object")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered(string(m.ID), a)
}

// answered gives the answer to the goroutine that waits for it. mu must be held.
func (c *Conn) answered(id string, with Reply) {
	if waiting := c.asks[id]; waiting != nil {
		delete(c.asks, id)
		waiting <- with
	}
}
