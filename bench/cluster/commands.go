package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"webmcphub/bench/machine"
)

// Build builds a program, webmcp-hub or webmcp-hub-cluster, into a folder, and gives its path.
func Build(ctx context.Context, folder, program string) (string, error) {
	path := filepath.Join(folder, program)
	source, err := machine.Hub(ctx)
	if err != nil {
		return "", err
	}
	args := []string{"build", "-C", source, "-o", path}
	if raced {
		args = append(args, "-race")
	}
	build := exec.CommandContext(ctx, "go", append(args, "./cmd/"+program)...)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s can't be built: %w\n%s", program, err, out)
	}
	return path, nil
}

// nodeArgs is the command line of a node.
func (c *Cluster) nodeArgs(n *Node) []string {
	args := append([]string{"node", "--name", n.Name, "--listen", n.listens, "--advertise", n.advertised},
		c.membership()...)
	if n == c.NodeList[0] && c.Attach != "" {
		args = append(args, "--browser-url", c.Attach)
	}
	if len(n.Browsers) > 0 {
		args = append(args, "--browsers", n.file)
	}
	if c.Own > 0 {
		args = append(args, "--pool", strconv.Itoa(c.Own), "--executable-path", c.chromeBinary)
	}
	return args
}

// browsersFile writes the file that names a node's browsers.
func (c *Cluster) browsersFile(n *Node) error {
	var text strings.Builder
	text.WriteString("browsers:\n")
	for _, i := range n.Browsers {
		fmt.Fprintf(&text, "  - {name: b%d, endpoint: %q}\n", i, c.Fleet.Endpoint(i))
	}
	n.file = filepath.Join(c.folder, n.Name+".yaml")
	return os.WriteFile(n.file, []byte(text.String()), 0o600)
}

// gatewayArgs is the command line of a gateway.
func (c *Cluster) gatewayArgs(g *Gateway) []string {
	args := append([]string{"gateway", "--name", g.Name, "--listen", g.Address, "--no-stdio"}, c.membership()...)
	if c.tenants != "" {
		return append(args, "--tenants", c.tenants)
	}
	return append(args, "--no-token")
}

// membership names the etcd by which processes know each other.
func (c *Cluster) membership() []string {
	return []string{"--etcd", strings.Join(c.Etcd.Endpoints, ",")}
}
