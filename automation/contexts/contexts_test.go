package contexts_test

import (
	"slices"
	"testing"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/contexts"
)

func TestMain(m *testing.M) { automationtest.Main(m) }

// TestContextsEndWithTheirClient: nothing is left in the browser of a client that is gone, but
// for what others use, and other clients' contexts stay.
func TestContextsEndWithTheirClient(t *testing.T) {
	conn, ctx := automationtest.Conn(t), automationtest.Context(t)
	var c contexts.Contexts
	open := func(client, name string) string {
		id, err := c.Named(ctx, conn, client, name)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	mine, shared, others := open("1", "shop"), open("1", "shared"), open("2", "shop")
	if again := open("1", "shop"); again != mine || others == mine {
		t.Errorf("%s, %s, %s", mine, again, others)
	}
	c.Forget("1", func(name string) bool { return name == "shared" })
	var is struct {
		IDs []string `json:"browserContextIds"`
	}
	if err := conn.Call(ctx, "", "Target.getBrowserContexts", nil, &is); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]bool{mine: false, shared: true, others: true} {
		if slices.Contains(is.IDs, id) != want {
			t.Errorf("%s is there: %v", id, !want)
		}
	}
	if open("1", "shop") == mine {
		t.Error("a context that has ended is given again")
	}
}
