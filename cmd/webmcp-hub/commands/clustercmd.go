package commands

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// ClusterCommands are passed on to webmcp-hub-cluster with all their arguments.
type ClusterCommands struct {
	Node    nodeCmd    `cmd:"" passthrough:"" help:"Run beside browsers, and offer their pages to gateways: webmcp-hub-cluster's command. See docs/cluster.md."`
	Gateway gatewayCmd `cmd:"" passthrough:"" help:"Serve MCP for the pages of many nodes' browsers: webmcp-hub-cluster's command. See docs/cluster.md."`
	Cluster clusterCmd `cmd:"" passthrough:"" help:"For operators: show nodes, have one leave, make certificates: webmcp-hub-cluster's command. See docs/cluster.md."`
}

type (
	passed struct {
		Args []string `arg:"" optional:"" help:"The arguments of webmcp-hub-cluster."`
	}
	nodeCmd    struct{ passed }
	gatewayCmd struct{ passed }
	clusterCmd struct{ passed }
)

// Run passes the command on.
func (c nodeCmd) Run() error { return pass("node", c.Args) }

// Run passes the command on.
func (c gatewayCmd) Run() error { return pass("gateway", c.Args) }

// Run passes the command on.
func (c clusterCmd) Run() error { return pass("cluster", c.Args) }

func pass(command string, args []string) error {
	program, err := find()
	if err != nil {
		return err
	}
	return become(program, append([]string{program, command}, args...))
}

// find finds the program beside this one, or on the PATH.
func find() (string, error) {
	name := "webmcp-hub-cluster"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		if self, err = filepath.EvalSymlinks(self); err == nil {
			beside := filepath.Join(filepath.Dir(self), name)
			if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
				return beside, nil
			}
		}
	}
	found, err := exec.LookPath(name)
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return "", fmt.Errorf("%s is neither beside this program nor on the PATH; put it there: \"make build\" makes "+
			"both, and so does \"go build ./cmd/webmcp-hub-cluster\"", name)
	}
	return found, err
}
