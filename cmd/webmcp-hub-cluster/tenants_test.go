package main

import (
	"strings"
	"testing"
)

func TestTenantsFlags(t *testing.T) {
	for args, want := range map[string]string{
		"--etcd http://a:1 --listen 0 --no-stdio":                       "",
		"--node a=127.0.0.1:1 --listen 0 --no-stdio":                    "goes with --etcd",
		"--etcd http://a:1 --listen 0":                                  "--no-stdio",
		"--etcd http://a:1":                                             "--listen ADDR",
		"--etcd http://a:1 --listen 0 --no-stdio --no-token":            "--no-token",
		"--etcd http://a:1 --listen 0 --no-stdio --token-file some-one": "--token-file",
	} {
		var c cli
		parser, err := newParser(&c)
		if err == nil {
			_, err = parser.Parse(append([]string{"gateway", "--tenants=f"}, strings.Fields(args)...))
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Gateway.validate(); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}
