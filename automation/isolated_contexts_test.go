package automation_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"webmcphub/automation"
	"webmcphub/automation/automationtest"
	"webmcphub/cdpclient"
)

// TestContextsEndWithTheirClient: nothing is left in the browser of a client that is gone, but
// for what others use, and other clients' contexts stay.
func TestContextsEndWithTheirClient(t *testing.T) {
	conn, ctx := automationtest.Conn(t), automationtest.Context(t)
	var c automation.Contexts
	var closed []string
	open := func(client, name string) string {
		id, err := c.Named(ctx, conn, client, name, func(ctx context.Context, target string) error {
			closed = append(closed, target)
			return errors.New("it isn't closed")
		})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	mine, shared, others := open("1", "shop"), open("1", "shared"), open("2", "shop")
	if again := open("1", "shop"); again != mine || others == mine {
		t.Errorf("%s, %s, %s", mine, again, others)
	}
	there := func(wanted map[string]bool) {
		t.Helper()
		c.Wait()
		var is struct {
			IDs []string `json:"browserContextIds"`
		}
		if err := conn.Call(ctx, "", "Target.getBrowserContexts", nil, &is); err != nil {
			t.Fatal(err)
		}
		for id, want := range wanted {
			if slices.Contains(is.IDs, id) != want {
				t.Errorf("%s is there: %v", id, !want)
			}
		}
	}
	var opened cdpclient.CreateTargetResult
	if err := conn.Call(ctx, "", cdpclient.TargetCreateTarget, map[string]any{"url": "about:blank", "browserContextId": shared, "background": true}, &opened); err != nil {
		t.Fatal(err)
	}
	if is := c.Of(ctx, conn, string(opened.TargetID)); is != (automation.ContextID{Client: "1", Name: "shared"}) {
		t.Errorf("the tab is in %+v", is)
	}
	c.Tidy(func(automation.ContextID) bool { return false })
	there(map[string]bool{mine: true, shared: true, others: true})
	c.Left("1")
	c.Tidy(func(is automation.ContextID) bool { return is == automation.ContextID{Client: "1", Name: "shared"} })
	there(map[string]bool{mine: false, shared: true, others: true})
	c.Left("3")
	c.Tidy(func(automation.ContextID) bool { return false })
	there(map[string]bool{shared: false, others: true})
	if !slices.Equal(closed, []string{string(opened.TargetID)}) {
		t.Errorf("these were closed: %v", closed)
	}
	if open("1", "shop") == mine {
		t.Error("a context that has ended is given again")
	}
}
