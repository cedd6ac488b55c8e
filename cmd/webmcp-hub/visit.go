package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"webmcphub/cmd/webmcp-hub/process"
	"webmcphub/internal/agent"
	"webmcphub/mcpserver/share"
	"webmcphub/mcpserver/view"
)

// longestWork is practically forever.
const longestWork = 24 * time.Hour

// withHub calls use as a client of the hub that the flags mean, so use sees what an agent sees. If no such hub runs,
// withHub starts one in this process.
func withHub(f attachFlags, callTimeout time.Duration, use func(context.Context, *agent.Agent) error) error {
	ctx, cancel := process.UntilSignal(callTimeout + longestWork)
	defer cancel()
	visitor, err := f.visit(ctx, visitorsView(callTimeout))
	switch {
	case errors.Is(err, share.ErrNobody) && f.profileOnly():
		return fmt.Errorf("no webmcp-hub runs whose Chrome has the profile %s; start your MCP client, or look at "+
			"another Chrome by --browser-url or --auto-connect", f.UserDataDir)
	case errors.Is(err, share.ErrNobody):
		return f.ownHubFor(ctx, callTimeout, use)
	case err != nil:
		return err
	}
	defer visitor.Close()
	f.logger().Info("this is what a running hub offers", "process", visitor.PID)
	a, err := agent.Over(ctx, visitor, visitor, version)
	if err != nil {
		return err
	}
	a.Hub = visitor.PID
	return use(ctx, a)
}

// visitorsView returns a view that shows all tabs, whatever the agent is shown, with whole results and the tool names
// that the agent knows. Its browser tools are those of the owner's client.
func visitorsView(callTimeout time.Duration) json.RawMessage {
	raw, err := json.Marshal(struct {
		Mode        view.Mode     `json:"mode"`
		FollowUser  bool          `json:"followUser"`
		CallTimeout time.Duration `json:"callTimeout"`
		Surface     view.Surface  `json:"surface"`
		MaxResult   int           `json:"maxResult"`
		Unlisted    bool          `json:"unlisted"`
	}{view.AllTabs, false, callTimeout, view.All, 0, false})
	if err != nil { // it holds nothing that can't be encoded
		panic(err)
	}
	return raw
}

// visit joins the hub that the flags mean.
func (f attachFlags) visit(ctx context.Context, view json.RawMessage) (*share.Visitor, error) {
	switch {
	case !f.Share:
		return nil, share.ErrNobody
	case f.Hub != 0:
		return visitProcess(ctx, f.Hub, view)
	case !f.unnamed():
		return f.visitKeys(ctx, view)
	}
	running, err := share.Running()
	switch {
	case err != nil:
		return nil, err
	case len(running) == 0:
		return nil, share.ErrNobody
	case len(running) == 1:
		return share.VisitProcess(ctx, running[0], view)
	}
	v, err := f.visitKeys(ctx, view) // the hub with this program's default profile
	if err == nil {
		fmt.Fprintf(os.Stderr, "%d hubs run, of the processes %s. This is that of process %d; --hub=PID looks at another.\n", len(running), numbers(running), v.PID)
		return v, nil
	}
	if errors.Is(err, share.ErrNobody) {
		err = usage(fmt.Errorf("%d hubs run, of the processes %s; choose one by --hub=PID", len(running),
			numbers(running)))
	}
	return nil, err
}

func visitProcess(ctx context.Context, pid int, view json.RawMessage) (*share.Visitor, error) {
	v, err := share.VisitProcess(ctx, pid, view)
	if !errors.Is(err, share.ErrNobody) {
		return v, err
	}
	running, err := share.Running()
	switch {
	case err != nil:
		return nil, err
	case len(running) == 0:
		return nil, fmt.Errorf("process %d has no hub that can be inspected, nor has any other process (hubs started "+
			"with --isolated or --no-share can't be)", pid)
	}
	return nil, fmt.Errorf("process %d has no hub that can be inspected; these processes have: %s", pid, numbers(running))
}

func numbers(list []int) string {
	var words []string
	for _, n := range list {
		words = append(words, fmt.Sprint(n))
	}
	return strings.Join(words, ", ")
}

// visitKeys joins the hub of the Chrome that the flags name, whether or not that hub is in focus mode.
func (f attachFlags) visitKeys(ctx context.Context, view json.RawMessage) (*share.Visitor, error) {
	keys, err := f.keys()
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		if v, err := share.Visit(ctx, key, view); !errors.Is(err, share.ErrNobody) {
			return v, err
		}
	}
	return nil, share.ErrNobody
}

// keys returns the keys under which hubs with that Chrome are shared.
func (f attachFlags) keys() (keys []string, err error) {
	if f.UserDataDir != "" {
		if _, err := os.Stat(f.UserDataDir); errors.Is(err, os.ErrNotExist) {
			return nil, share.ErrNobody // s.sharing would make the folder
		}
	}
	for _, mode := range []view.Mode{view.AllTabs, view.FocusedTab} {
		s := serveCmd{serveOptions: serveOptions{
			chromeFlags: chromeFlags{BrowserURL: f.BrowserURL, WSEndpoint: f.WSEndpoint, WSHeader: f.WSHeader,
				AutoConnect: f.AutoConnect, Channel: f.Channel, UserDataDir: f.UserDataDir},
			hubFlags:   defaultHubFlags(),
			shareFlags: shareFlags{Share: true},
		}}
		s.Mode = string(mode)
		o, err := s.sharing()
		if err != nil {
			return nil, err
		}
		if !slices.Contains(keys, o.Key) {
			keys = append(keys, o.Key)
		}
	}
	return keys, nil
}
