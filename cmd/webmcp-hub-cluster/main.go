package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"webmcphub/cluster/certs"
	"webmcphub/cmd/webmcp-hub/policy"
	"webmcphub/cmd/webmcp-hub/process"
	"webmcphub/internal/cmdline"
	"webmcphub/internal/gctuning"
	"webmcphub/internal/mask"
)

// version is set by the build (-ldflags "-X main.version=…").
var version = "dev"

// cli is the command line.
type cli struct {
	ShowVersion kong.VersionFlag `name:"version" env:"-" help:"Print the version."`

	Node    nodeCmd    `cmd:"" help:"Run beside browsers, and offer their pages to gateways."`
	Gateway gatewayCmd `cmd:"" help:"Serve MCP for the pages of all nodes' browsers."`
	Cluster clusterCmd `cmd:"" help:"For operators: how the nodes are, have one leave, make certificates for trying."`

	cmdline.Commands `embed:""`
}

// usageError is a mistake in the command line. The program then ends with code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func main() {
	gctuning.Start() // never stopped
	version = process.Version(version)
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	var c cli
	parser, err := newParser(&c)
	if err != nil { // a mistake in cli itself
		panic(err)
	}
	ctx, err := parser.Parse(args)
	if err == nil {
		err = ctx.Run()
	} else {
		err = usageError{err}
	}
	var wrong usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &wrong):
		fmt.Fprintf(os.Stderr, "webmcp-hub-cluster: %v\nRun \"webmcp-hub-cluster --help\" to see what there is.\n", err)
		return 2
	}
	fmt.Fprintf(os.Stderr, "webmcp-hub-cluster: %v\n", err)
	return 1
}

func newParser(c *cli) (*kong.Kong, error) {
	return kong.New(c,
		kong.Name("webmcp-hub-cluster"),
		kong.Description("One MCP endpoint for the browsers of many machines."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 120}),
		kong.Writers(os.Stdout, os.Stderr),
		kong.DefaultEnvars("WEBMCP_HUB_CLUSTER"),
		kong.Vars{"version": "webmcp-hub-cluster " + version},
		kong.Vars(policy.AuditVars),
	)
}

// logFlags say what is logged to standard error, and where traces are sent.
type logFlags struct {
	process.OTLPFlags

	LogLevel string `default:"info" enum:"debug,info,warn,error" help:"What is logged to standard error: debug, info, warn or error."`
}

func (f logFlags) logger() *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(f.LogLevel)) // kong has checked the level
	return slog.New(mask.Handler(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})))
}

// tlsFlags are the certificates by which processes of the cluster authenticate each other.
type tlsFlags struct {
	CA   string `name:"tls-ca" type:"path" placeholder:"FILE" help:"The certificates that sign those of all processes of the cluster (PEM). With --tls-cert and --tls-key: nodes and gateways talk by TLS, and know each other by their certificates. Without, they talk on loopback addresses only."`
	Cert string `name:"tls-cert" type:"path" placeholder:"FILE" help:"This process's certificate (PEM). \"cluster cert\" makes a set for trying. Read again when it changes."`
	Key  string `name:"tls-key" type:"path" placeholder:"FILE" help:"Its private key (PEM)."`
}

func (f tlsFlags) files() (*certs.Files, error) {
	switch {
	case f.CA == "" && f.Cert == "" && f.Key == "":
		return nil, nil
	case f.CA == "" || f.Cert == "" || f.Key == "":
		return nil, usageError{errors.New("--tls-ca, --tls-cert and --tls-key go together")}
	}
	return &certs.Files{CA: f.CA, Cert: f.Cert, Key: f.Key}, nil
}

// name returns a process's name: the given one, the one in its certificate, or a random one that begins with its role.
func (f tlsFlags) name(given, role string) string {
	if given != "" {
		return given
	}
	if files, err := f.files(); err == nil && files != nil {
		if id, err := files.Identity(); err == nil { // otherwise opening the certificate returns the error
			return id.Name
		}
	}
	return role + "-" + strings.ToLower(rand.Text()[:10])
}
