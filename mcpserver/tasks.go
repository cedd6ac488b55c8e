package mcpserver

import (
	"encoding/json"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/wire"
)

// A call that takes long becomes a task, for clients of protocol 2026-07-28 that declare the extension
// io.modelcontextprotocol/tasks (SEP-2663). The client's request is answered with a task's id. With that id the
// client asks for the outcome, answers what the page asks meanwhile, and cancels the call. So no time limit of the
// client itself ends the call; the hub's time limit (--call-timeout) still does.

const (
	// TaskAfter is how long a call may take before it becomes a task. It is well below the time limits of clients,
	// which are often a minute.
	TaskAfter = 20 * time.Second
	// TaskTTL is how long after a task's beginning clients can ask for the task.
	TaskTTL = time.Hour
	// taskPoll is the interval at which the hub advises clients to ask.
	taskPoll = time.Second

	tasksExtension = "io.modelcontextprotocol/tasks"

	methodTasksGet    = "tasks/get"
	methodTasksUpdate = "tasks/update"
	methodTasksCancel = "tasks/cancel"
)

// task is work whose outcome the client requests by the task's id. works.mu guards it.
type task struct {
	created, updated time.Time
	cancelled        bool
	outcome          *wire.Reply // nil while the task runs
}

// shownTask is a task as the extension defines it.
type shownTask struct {
	ResultType string `json:"resultType"`
	ID         string `json:"taskId"`
	Status     string `json:"status"`
	Created    string `json:"createdAt"`
	Updated    string `json:"lastUpdatedAt"`
	TTL        int64  `json:"ttlMs"`
	Poll       int64  `json:"pollIntervalMs"`

	Requests json.RawMessage `json:"inputRequests,omitempty"`
	Result   json.RawMessage `json:"result,omitempty"`
	Error    *jsonrpc.Error  `json:"error,omitempty"`
}

// takesTasks reports whether the client of a request supports the extension.
func (p *params) takesTasks() bool {
	var can struct {
		Extensions map[string]json.RawMessage `json:"extensions"`
	}
	return json.Unmarshal(p.capabilities, &can) == nil && jsonrpc.IsObject(can.Extensions[tasksExtension])
}

// becomeTask turns the work into a task and answers the round with it. ok is false if the work is done or there are
// too many tasks.
func (w *work) becomeTask(r *wire.Request) (answer wire.Reply, ok bool) {
	w.of.mu.Lock()
	if w.done || len(w.of.tasks) >= maxParked {
		w.of.mu.Unlock()
		return answer, false
	}
	now := time.Now()
	w.attended = false
	w.task = &task{created: now, updated: now}
	w.of.tasks[w.id] = w
	w.timer = time.AfterFunc(TaskTTL, func() {
		w.request.Cancel(wire.TimeoutError{After: TaskTTL})
		w.forget()
	})
	shown := w.shown("task")
	w.of.mu.Unlock()
	w.session.client.Conn.Rest(w.request, r)
	return wire.Reply{Result: jsonrpc.MustEncode(shown), Lost: func() { // the client didn't get the task's id
		w.request.Cancel(errNotContinued)
		w.forget()
	}}, true
}

// shown returns the task as it is now. works.mu must be held.
func (w *work) shown(resultType string) shownTask {
	t := w.task
	s := shownTask{
		ResultType: resultType, ID: w.id, Status: "working",
		Created: t.created.UTC().Format(time.RFC3339Nano), Updated: t.updated.UTC().Format(time.RFC3339Nano),
		TTL: TaskTTL.Milliseconds(), Poll: taskPoll.Milliseconds(),
	}
	switch {
	case t.cancelled:
		s.Status = "cancelled"
	case t.outcome != nil && t.outcome.Err != nil:
		s.Status, s.Error = "failed", t.outcome.Err
	case t.outcome != nil:
		s.Status, s.Result = "completed", t.outcome.Result
	default:
		if s.Requests = w.rounds.Questions(); s.Requests != nil {
			s.Status = "input_required"
		}
	}
	return s
}

// answerTask answers the requests about a task.
func (s *session) answerTask(r *wire.Request, m *jsonrpc.Message) wire.Reply {
	p, answered := s.params(r, m)
	switch {
	case answered != nil:
		return *answered
	case !p.modern():
		return s.delegate(r, m)
	}
	id, _ := jsonrpc.Text(jsonrpc.Member(m.Params, "taskId"))
	ws := s.server.works
	ws.mu.Lock()
	defer ws.mu.Unlock()
	w := ws.tasks[id]
	if w == nil || w.session != s && !w.session.client.Sessionless {
		return wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "there is no such task: it began more than "+
			"%v ago, or the hub was started again since. Call the tool again", TaskTTL)}
	}
	switch m.Method {
	case methodTasksGet:
		answer := wire.Reply{Result: jsonrpc.MustEncode(w.shown("complete"))}
		if w.task.outcome != nil && w.session == s {
			answer.Read = w.task.outcome.Read
		}
		return answer
	case methodTasksUpdate:
		if p.answers == nil {
			return wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInvalidParams,
				`tasks/update needs "inputResponses", an object`)}
		}
		w.rounds.Answered(p.answers, true)
	case methodTasksCancel:
		if w.task.outcome == nil && !w.task.cancelled {
			w.task.cancelled, w.task.updated = true, time.Now()
			w.request.Cancel(wire.ErrCancelled)
		}
	}
	return wire.Reply{Result: json.RawMessage(`{"resultType":"complete"}`)}
}

// gone deletes what waits for the client of a session that has ended. A sessionless client comes back in another
// session.
func (ws *works) gone(s *session) {
	if s.client.Sessionless {
		return
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for _, all := range []map[string]*work{ws.parked, ws.tasks} {
		for key, w := range all {
			if w.session == s {
				delete(all, key)
				w.timer.Stop()
			}
		}
	}
}

// declareTasks declares that the hub supports the extension.
func declareTasks(r *mcp.DiscoverResult) {
	if r.Capabilities.Extensions == nil {
		r.Capabilities.Extensions = map[string]any{}
	}
	r.Capabilities.Extensions[tasksExtension] = struct{}{}
}
