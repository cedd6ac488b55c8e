package main

import (
	"strings"
	"testing"
)

// A node that could not be talked with is refused at the start.
func TestNodesAtTheStart(t *testing.T) {
	for args, want := range map[string]string{
		"--node a=127.0.0.1:1 --node b=localhost:1":         "",
		"--node a=[::1]:1":                                  "",
		"--node a=127.0.0.1":                                "a host and a port",
		"--node A=127.0.0.1:1":                              "can't be the name of a node",
		"--node a=192.0.2.1:7700":                           "beyond this machine",
		"--node a=127.0.0.1:1 --node b=node-b.example:7700": "beyond this machine",
		"--node a=192.0.2.1:7700 --tls-ca ca.pem --tls-cert c.pem --tls-key k.pem": "",
	} {
		var c cli
		parser, err := newParser(&c)
		if err == nil {
			_, err = parser.Parse(append([]string{"gateway"}, strings.Fields(args)...))
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Gateway.validate(); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}
