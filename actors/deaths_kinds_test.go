package actors_test

import (
	"strings"
	"testing"

	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient"
)

// TestEveryMessageHasItsDeath reads the actors' sources for what they handle:
// each kind of message needs a row in deaths.
func TestEveryMessageHasItsDeath(t *testing.T) {
	here, events := SourcesIn(t, "."), SourcesIn(t, "../registry")
	browser := append(Cases(t, here, "browserActor", "Receive"), ActorMessages...)
	browser = ReplaceKind(t, browser, "actors.fromBrowser", append(RepliesTo(t, here, "browserActor"), "reply string", "reply *keeper.Order", "cdpclient.Closed")...)
	browser = append(browser, Cases(t, here, "browserActor", "event")...)
	browser = ReplaceKind(t, browser, "*keeper.Order", orderNames...)
	reg := append(Cases(t, here, "registryActor", "Receive"), ActorMessages...)
	reg = ReplaceKind(t, reg, "registry.Event", Receivers(events, "event")...)

	rows := deaths()
	for i, d := range rows {
		for _, method := range []string{cdpclient.TargetAttachedToTarget, cdpclient.TargetDetachedFromTarget, cdpclient.TargetTargetInfoChanged,
			cdpclient.TargetTargetCreated, cdpclient.TargetTargetDestroyed, cdpclient.TargetTargetCrashed} {
			if d.Actor == "browser" && d.Message == method { // the sources name them by their constants
				domain, name, _ := strings.Cut(method, ".")
				rows[i].Message = "cdpclient." + domain + strings.ToUpper(name[:1]) + name[1:]
			}
		}
	}
	WantRows(t, map[string][]string{"browser": browser, "registry": reg}, rows)
}

// orderNames are the orders, as MessageName calls them.
var orderNames = []string{"order to reach a browser", "order to open", "order to focus", "order to close", "order to connect", "order to disconnect", "order to list titles"}
