package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

const knowsTasks = `{"sampling":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`

func (c *overStdio) about(id, method, params string) string {
	c.send(ask(id, method, params))
	synctest.Wait()
	for _, line := range c.take() {
		if strings.Contains(line, `"id":`+id+`,`) {
			return line
		}
	}
	return ""
}

func (w overWeb) about(id, method, params string) string {
	return w.send("POST", ask(id, method, params), "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: "+method).body
}

// asker sends a request about a task and gives the answer.
type asker interface {
	about(id, method, params string) string
}

// aboutTask are the params of such a request.
func aboutTask(task, more string) string {
	return fmt.Sprintf(`{"taskId":%q%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":%s}}`, task, more, knowsTasks)
}

// taskIn reads the task that a message has as its result.
func taskIn(t *testing.T, line string) (task shownTask) {
	t.Helper()
	var m struct{ Result shownTask }
	i := strings.IndexByte(line, '{')
	if i < 0 || json.Unmarshal([]byte(line[i:]), &m) != nil || m.Result.ID == "" {
		t.Fatalf("no task: %q", line)
	}
	return m.Result
}

func TestLongCallsBecomeTasks(t *testing.T) {
	inRounds(t, func(t *testing.T, h *offerHub, c sender, release chan struct{}) {
		about := c.(asker).about
		call := c.call(round{id: "1", can: knowsTasks})
		fakeclock.Elapse(TaskAfter - time.Second)
		if got := call(); got != "" {
			t.Fatalf("answered early: %s", got)
		}
		fakeclock.Elapse(time.Second)
		begun := taskIn(t, call())
		if begun.ResultType != "task" || begun.Status != "working" || begun.TTL != TaskTTL.Milliseconds() || begun.Poll <= 0 || begun.Created == "" {
			t.Errorf("begun: %+v", begun)
		}
		get := func() shownTask {
			t.Helper()
			return taskIn(t, about("2", "tasks/get", aboutTask(begun.ID, "")))
		}
		if task := get(); task.ResultType != "complete" || task.Status != "working" {
			t.Errorf("then: %+v", task)
		}

		done := h.asks(t.Context(), sample("A"))
		synctest.Wait()
		task := get()
		if task.Status != "input_required" || !strings.Contains(string(task.Requests), `"page-1":{"method":"sampling/createMessage"`) {
			t.Errorf("asked: %+v", task)
		}
		if got := about("3", "tasks/update", aboutTask(begun.ID, "")); !strings.Contains(got, "-32602") {
			t.Errorf("an update without responses: %s", got)
		}
		if got := about("4", "tasks/update", aboutTask(begun.ID, `,"inputResponses":{"page-1":{"said":1}}`)); !strings.Contains(got, `"result":{"resultType":"complete"}`) {
			t.Errorf("the update: %s", got)
		}
		h.wantGiven(done, `{"said":1}`)
		if task := get(); task.Status != "working" || task.Requests != nil {
			t.Errorf("answered: %+v", task)
		}

		release <- struct{}{}
		synctest.Wait()
		h.sessions.each(func(s *session) {
			if s.client.Sessionless {
				t.Errorf("%s is kept for a task that is done", s.client.ID)
			}
		})
		for range 2 {
			if task := get(); task.Status != "completed" || !strings.Contains(string(task.Result), "A/use {}") {
				t.Errorf("done: %+v", task)
			}
		}
		fakeclock.Elapse(TaskTTL - time.Minute)
		if task := get(); task.Status != "completed" {
			t.Errorf("within its time: %+v", task)
		}
		fakeclock.Elapse(time.Minute)
		if got := about("5", "tasks/get", aboutTask(begun.ID, "")); !strings.Contains(got, "there is no such task") {
			t.Errorf("after its time: %s", got)
		}
	}, func(o *Options, _ *registry.Options) { o.CallTimeout = time.Hour })
}

func TestTasksEnd(t *testing.T) {
	inRounds(t, func(t *testing.T, h *offerHub, c sender, release chan struct{}) {
		about := c.(asker).about
		long := func(id string) shownTask {
			t.Helper()
			call := c.call(round{id: id, can: knowsTasks})
			fakeclock.Elapse(TaskAfter)
			return taskIn(t, call())
		}
		task := long("1")
		if got := about("2", "tasks/cancel", aboutTask(task.ID, "")); !strings.Contains(got, `"result":{"resultType":"complete"}`) {
			t.Errorf("cancelling: %s", got)
		}
		synctest.Wait()
		if task := taskIn(t, about("3", "tasks/get", aboutTask(task.ID, ""))); task.Status != "cancelled" || task.Result != nil {
			t.Errorf("cancelled: %+v", task)
		}
		h.wantGiven(h.asks(t.Context(), sample("A")), "may ask only while it carries out a call") // it is over in the page

		// The hub's own limit holds for tasks, too.
		task = long("4")
		fakeclock.Elapse(time.Minute)
		if task := taskIn(t, about("5", "tasks/get", aboutTask(task.ID, ""))); task.Status != "completed" || !strings.Contains(string(task.Result), "time limit of 1m0s is over") {
			t.Errorf("over its limit: %+v", task)
		}

		// Without the extension a call stays a call, and what is quick stays one with it.
		call := c.call(round{id: "6"})
		fakeclock.Elapse(TaskAfter + time.Second)
		if got := call(); got != "" {
			t.Errorf("without the extension: %s", got)
		}
		release <- struct{}{}
		if got := call(); !strings.Contains(got, "A/use {}") {
			t.Errorf("the answer: %s", got)
		}
		call = c.call(round{id: "7", can: knowsTasks})
		release <- struct{}{}
		if got := call(); !strings.Contains(got, "A/use {}") || strings.Contains(got, "taskId") {
			t.Errorf("a quick one: %s", got)
		}
		if got := about("8", "tasks/get", aboutTask("x", "")); !strings.Contains(got, "there is no such task") {
			t.Errorf("an unknown one: %s", got)
		}
		fakeclock.Elapse(TaskTTL)
	}, func(o *Options, _ *registry.Options) { o.CallTimeout = time.Minute })
}

// A task is its own session's where there are sessions, and ends with it.
func TestTasksOfSessions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t)
		ended := make(chan struct{})
		h.reaches(func(ctx context.Context, _ calls.Call) registry.Result {
			<-ctx.Done()
			close(ended)
			return registry.Result{}
		})
		h.page("A", "https://a.test/")
		c, other := &overStdio{rawClient: h.connect(true)}, &overStdio{rawClient: h.connect(true)}
		call := c.call(round{id: "1", can: knowsTasks})
		fakeclock.Elapse(TaskAfter)
		task := taskIn(t, call())
		if got := other.about("1", "tasks/get", aboutTask(task.ID, "")); !strings.Contains(got, "there is no such task") {
			t.Errorf("another session's: %s", got)
		}
		c.hangUp()
		<-ended
		synctest.Wait()
		if n := len(h.works.tasks); n != 0 {
			t.Errorf("%d tasks are left", n)
		}
		other.hangUp()
	})
}
