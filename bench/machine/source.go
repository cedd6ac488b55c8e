package machine

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// Hub is the folder of the hub's own module, for go build -C: the benchmarks are a module of their own, which doesn't
// know what the hub's programs import. The working directory must be in this module.
func Hub(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "webmcphub").Output()
	if err != nil {
		return "", fmt.Errorf("go list -m webmcphub: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
