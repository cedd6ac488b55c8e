package machine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// HubBinary is the program that the environment variable WEBMCP_HUB names, to measure another build, or else the hub,
// built into a folder as it is released.
func HubBinary(ctx context.Context, folder string) (string, error) {
	if name := os.Getenv("WEBMCP_HUB"); name != "" {
		return filepath.Abs(name)
	}
	source, err := Hub(ctx)
	if err != nil {
		return "", err
	}
	version := "dev"
	if out, err := exec.CommandContext(ctx, "git", "-C", source, "describe", "--tags", "--always").Output(); err == nil {
		version = strings.TrimSpace(string(out))
	}
	binary := filepath.Join(folder, "webmcp-hub")
	build := exec.CommandContext(ctx, "go", "build", "-C", source, "-trimpath", "-ldflags", "-s -w -X main.version="+
		version, "-o", binary, "./cmd/webmcp-hub")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("webmcp-hub can't be built: %w\n%s", err, out)
	}
	return binary, nil
}
