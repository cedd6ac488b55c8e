package storm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"webmcphub/cdpclient"
)

// startBare is the least that can stand between pages and anybody: one
// goroutine that reads the wire, switches WebMCP on for each tab and looks for
// stamps in the events. No hub can take changes in sooner.
func startBare(dial dialFunc, tap func(tool string)) (inner, error) {
	if tap == nil {
		return inner{}, errors.New("a bare client runs in the process that measures only")
	}
	wire, err := dial(context.Background())
	if err != nil {
		return inner{}, err
	}
	if err := wire.Write([]byte(`{"id":1,"method":"Target.setAutoAttach","params":{"autoAttach":true,"waitForDebuggerOnStart":false,"flatten":true,"filter":[{"type":"page"}]}}`)); err != nil {
		return inner{}, err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for id := 2; ; id++ {
			msg, err := wire.Read()
			if err != nil {
				return
			}
			switch {
			case bytes.HasPrefix(msg, []byte(`{"method":"Target.attachedToTarget"`)):
				var e struct{ Params cdpclient.AttachedToTarget }
				if json.Unmarshal(msg, &e) == nil {
					_ = wire.Write(fmt.Appendf(nil, `{"id":%d,"method":"WebMCP.enable","sessionId":%q}`, id, e.Params.SessionID)) // the next read sees it fail
				}
			case bytes.HasPrefix(msg, []byte(`{"method":"WebMCP.toolsAdded"`)):
				if i := bytes.Index(msg, []byte(stampMark)); i > 0 {
					tap(string(msg[max(0, i-12):min(len(msg), i+24)]))
				}
			}
		}
	}()
	return inner{stop: func(context.Context) error {
		err := wire.Close()
		<-ended
		return err
	}}, nil
}
