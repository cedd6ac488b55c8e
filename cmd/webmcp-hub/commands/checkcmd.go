package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"webmcphub/check"
	"webmcphub/check/contract"
	"webmcphub/check/journey"
	"webmcphub/check/lint"
	"webmcphub/check/probe"
	"webmcphub/check/report"
	"webmcphub/cmd/webmcp-hub/process"
	"webmcphub/internal/private"
	"webmcphub/internal/terminal"
)

// lockFile is the default lock file.
const lockFile = "webmcp.lock.json"

// Check is the command "check", which checks pages with WebMCP tools.
type Check struct {
	URL     []string `arg:"" optional:"" name:"url" help:"The pages to check. With --from and --explain there may be none."`
	Lock    string   `type:"path" placeholder:"FILE" help:"Compare the tools' definitions with this lock file. Default: webmcp.lock.json in the working directory, if it is there."`
	Accept  bool     `help:"Write the definitions to the lock file instead of comparing them."`
	Smoke   bool     `help:"Call the tools marked read-only (readOnlyHint), with inputs made from their schemas."`
	All     bool     `help:"Like --smoke, but call all tools, including those that change something."`
	Explain string   `placeholder:"RULE" help:"Explain a rule, with a bad and a good example, and check nothing."`
	Journey []string `type:"path" sep:"none" placeholder:"FILE" help:"Run the journeys of this file, starting at the first URL: steps in YAML or JSON, or an evals.json of webmcp-evals. Repeatable."`
	Sessions
	Rules          string `type:"path" placeholder:"FILE" help:"Change or silence rules as this file says. Default: .webmcp-check.yaml in the working directory, if it is there."`
	Baseline       string `type:"path" placeholder:"FILE" help:"Count only findings that this file doesn't have."`
	UpdateBaseline bool   `help:"Write the findings to the file of --baseline instead of comparing with it."`
	Crawl          bool   `help:"Also check the pages of the same origin that these link to, and those that its sitemap.xml lists."`
	MaxPages       int    `default:"50" placeholder:"N" help:"With --crawl: check this many pages at most."`
	FailOn         string `enum:"error,warning,info" default:"error" help:"The lowest severity of findings that makes the exit code 1: error, warning or info."`
	Timeout        struct {
		Timeout     time.Duration `env:"-" default:"20s" help:"How long a page may take to load."`
		Wait        time.Duration `env:"-" default:"10s" help:"How long to wait for a page that has loaded until it is quiet: it loads nothing more, and neither its document nor its tools change."`
		CallTimeout time.Duration `env:"-" default:"10s" help:"How long a tool may take to answer."`
	} `embed:""`
	Outputs
	StorageState string `type:"path" placeholder:"FILE" help:"Put the cookies and the local storage of this file into the Chrome that is started, for pages that need a login: a storageState of Playwright."`
	Browser
}

// Outputs say where the results are written.
type Outputs struct {
	JSON    bool   `name:"json" help:"Print the report as JSON."`
	JUnit   string `name:"junit" type:"path" placeholder:"FILE" help:"Write the report for test reporters."`
	SARIF   string `name:"sarif" type:"path" placeholder:"FILE" help:"Write the report for code scanning."`
	HTML    string `name:"html" type:"path" placeholder:"FILE" help:"Write the report as a page."`
	Evals   string `name:"write-evals" type:"path" placeholder:"FILE" help:"Write the journeys as an evals.json of webmcp-evals."`
	GitHub  bool   `name:"github" help:"Print annotations for GitHub Actions, too."`
	Verbose bool   `short:"v" help:"Print all findings of each rule, and those of the severity info."`
	Quiet   bool   `short:"q" help:"Show no progress on the terminal, and print nothing if nothing was found."`
}

// Browser says which Chrome is used.
type Browser struct {
	BrowserURL     string   `name:"browser-url" env:"-" placeholder:"URL" help:"Use the Chrome that listens here, where you may be logged in; only tabs opened for the check are examined. Default: a new Chrome with a temporary profile."`
	ExecutablePath string   `env:"-" placeholder:"FILE" help:"The Chrome to start: a file, or the name of a program."`
	Channel        string   `env:"-" enum:",stable,beta,dev,canary,chromium" default:"" placeholder:"CHANNEL" help:"The Chrome to start: stable, beta, dev, canary or chromium."`
	ChromeArg      []string `sep:"none" env:"-" placeholder:"ARG" help:"Pass this flag to the Chrome that is started. Repeatable."`
}

// Validate checks the flags. The parser calls it.
func (c *Check) Validate() error {
	for _, address := range c.URL {
		if err := Address(address); err != nil {
			return err
		}
	}
	switch {
	case c.Explain != "":
		return c.explains()
	case len(c.URL) == 0 && c.From == "":
		return errors.New("name the address of a page to check")
	case c.Journeys != "" && c.From == "":
		return errors.New("--write-journey goes with --from: it writes the journey of a recording")
	case c.Timeout.Timeout <= 0 || c.Timeout.CallTimeout <= 0 || c.Timeout.Wait <= 0:
		return errors.New("--timeout, --wait and --call-timeout must be more than 0")
	case c.UpdateBaseline && c.Baseline == "":
		return errors.New("--update-baseline goes with --baseline: it says which file to write")
	case c.MaxPages <= 0:
		return errors.New("--max-pages must be more than 0")
	case c.StorageState != "" && c.BrowserURL != "":
		return errors.New("--storage-state is for a Chrome that check starts; log in by hand in the one of --browser-url")
	}
	return c.Browser.Check("check")
}

// Address returns an error if an address can't be that of a page.
func Address(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "file" || u.Scheme != "file" &&
		u.Host == "" {
		return fmt.Errorf("%q is not the address of a page: it must begin with http://, https:// or file://", address)
	}
	return nil
}

// Check returns an error for flags that contradict each other, in the words of this command.
func (b Browser) Check(command string) error {
	if b.BrowserURL != "" && (b.ExecutablePath != "" || b.Channel != "" || len(b.ChromeArg) > 0) {
		return fmt.Errorf("--executable-path, --channel and --chrome-arg are for a Chrome that %s starts; they do "+
			"nothing for the one of --browser-url", command)
	}
	return nil
}

// ExitCode is an exit code as an error whose text has been printed already.
type ExitCode int

func (e ExitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Run checks the pages. The program's version is among the parser's variables.
func (c *Check) Run(vars kong.Vars) error {
	if c.Explain != "" {
		return report.Explain(os.Stdout, *rule(c.Explain))
	}
	code, err := c.run(strings.TrimPrefix(vars["version"], "webmcp-hub "), os.Stdout)
	if process.Interrupted() && code == report.Unchecked {
		return process.ErrInterrupted
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "webmcp-hub: %v\n", err)
	}
	if code != report.Passed {
		return ExitCode(code)
	}
	return nil
}

// longest limits a whole check, so that it ends even if a Chrome hangs.
const longest = time.Hour

func (c *Check) run(version string, out *os.File) (code int, err error) {
	lock, err := c.readLock()
	if err != nil {
		return report.Misused, err
	}
	journeys, err := c.journeys()
	if err != nil {
		return report.Misused, err
	}
	options, err := c.options()
	if err != nil {
		return report.Misused, err
	}
	options.Lock, options.Version = lock, version
	if c.From != "" {
		session, err := c.session()
		if err != nil {
			return report.Misused, err
		}
		journeys = append(journeys, session.Journey)
		if len(c.URL) == 0 {
			return c.tell(session, journeys, version, out)
		}
	}
	if err := c.writeEvals(journeys); err != nil {
		return report.Misused, err
	}
	ctx, cancel := process.UntilSignal(longest)
	defer cancel()
	options.Journeys = journeys
	found, err := c.check(ctx, options)
	if found == nil {
		return report.Unchecked, err
	}
	if c.Accept && err == nil {
		if err := c.writeLock(lock); err != nil {
			return report.Misused, err
		}
		if !c.Quiet {
			fmt.Fprintf(os.Stderr, "webmcp-hub: %s\n", c.accepted(found))
		}
	}
	if c.UpdateBaseline && err == nil {
		if err := c.writeBaseline(options.Baseline); err != nil {
			return report.Misused, err
		}
	}
	if err := c.write(found, out); err != nil {
		return report.Misused, err
	}
	if err != nil { // it was interrupted, and the report has the results until then
		return report.Unchecked, err
	}
	if c.UpdateBaseline && found.Exit() == report.Failed {
		return report.Passed, nil // what was found is accepted
	}
	return found.Exit(), nil
}

func (c *Check) check(ctx context.Context, o check.Options) (*report.Report, error) {
	line := terminal.On(os.Stderr, c.Quiet)
	defer line.Done()
	o.Doing = line.Say
	return check.Run(ctx, o)
}

// options returns what the flags say, and what is in the files that they name, but for journeys and the lock.
func (c *Check) options() (o check.Options, err error) {
	o = check.Options{
		URLs: c.URL, Accept: c.Accept, Smoke: c.Smoke, All: c.All,
		Chrome: probe.Options{BrowserURL: c.BrowserURL, ExecutablePath: c.ExecutablePath, Channel: c.Channel,
			Args: c.ChromeArg, Timeout: c.Timeout.Timeout, Wait: c.Timeout.Wait},
		CallTimeout: c.Timeout.CallTimeout, FailOn: lint.Severity(c.FailOn), UpdateBaseline: c.UpdateBaseline,
	}
	if c.Crawl {
		o.Crawl = c.MaxPages
	}
	if o.Settings, err = c.settings(); err != nil {
		return o, err
	}
	if o.Baseline, err = c.baseline(); err != nil {
		return o, err
	}
	if c.StorageState != "" {
		text, err := os.ReadFile(c.StorageState)
		if err == nil {
			o.Chrome.StorageState, err = probe.ReadStorageState(text)
		}
		if err != nil {
			return o, fmt.Errorf("the storage state %s can't be used: %w", c.StorageState, err)
		}
	}
	return o, nil
}

// journeys reads the files of journeys.
func (c *Check) journeys() (all []journey.Journey, err error) {
	for _, file := range c.Journey {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("the journeys can't be read: %w", err)
		}
		some, err := journey.Read(text)
		if err != nil {
			return nil, fmt.Errorf("the journeys of %s can't be read: %w", file, err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// writeEvals writes journeys in the format of webmcp-evals, if the flags ask for that.
func (c *Check) writeEvals(all []journey.Journey) error {
	if c.Evals == "" {
		return nil
	}
	text, err := journey.Evals(all)
	if err == nil {
		err = os.WriteFile(c.Evals, text, 0o644)
	}
	if err != nil {
		return fmt.Errorf("the evals can't be written: %w", err)
	}
	return nil
}

// readLock reads the lock file; nil if there is none to compare with.
func (c *Check) readLock() (*contract.Lock, error) {
	file := c.lockFile()
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, os.ErrNotExist) && c.Accept:
		return &contract.Lock{}, nil
	case errors.Is(err, os.ErrNotExist) && c.Lock == "":
		return nil, nil
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("there is no lock file %s; --accept writes it", file)
	case err != nil:
		return nil, fmt.Errorf("the lock file can't be read: %w", err)
	}
	lock, err := contract.Read(text)
	if errors.Is(err, contract.ErrNewer) {
		return nil, fmt.Errorf("the lock file %s can't be used: %w; update webmcp-hub", file, err)
	}
	if err != nil {
		return nil, fmt.Errorf("the lock file %s can't be used: %w; mend it, or delete it and write it anew by --accept", file, err)
	}
	return &lock, nil
}

func (c *Check) lockFile() string {
	if c.Lock == "" {
		return lockFile
	}
	return c.Lock
}

// accepted says what the lock file contains now.
func (c *Check) accepted(found *report.Report) string {
	pages, tools := 0, 0
	for _, p := range found.Pages {
		if p.Error == "" && !p.Journey {
			pages, tools = pages+1, tools+len(p.Tools)
		}
	}
	return fmt.Sprintf("accepted into %s: pages: %d, tools: %d", c.lockFile(), pages, tools)
}

func (c *Check) writeLock(lock *contract.Lock) error {
	text, err := lock.Write()
	if err == nil {
		err = replace(c.lockFile(), text)
	}
	if err != nil {
		return fmt.Errorf("the lock file can't be written: %w", err)
	}
	return nil
}

// replace writes a file, which keeps its mode.
func replace(file string, text []byte) error {
	mode := os.FileMode(0o644)
	if is, err := os.Stat(file); err == nil {
		mode = is.Mode().Perm()
	}
	return private.Replace(file, text, mode)
}

// files writes the report to the files that the flags name.
func (c *Check) files(found *report.Report) error {
	for _, f := range []struct {
		file  string
		write func(io.Writer) error
	}{{c.JUnit, found.JUnit}, {c.SARIF, found.SARIF}, {c.HTML, found.HTML}} {
		if f.file == "" {
			continue
		}
		var b strings.Builder
		if err := f.write(&b); err != nil {
			return err
		}
		if err := os.WriteFile(f.file, []byte(b.String()), 0o644); err != nil {
			return fmt.Errorf("the report can't be written: %w", err)
		}
	}
	return nil
}

// write writes the report in all requested formats. A file that can't be written doesn't keep the report from being
// printed.
func (c *Check) write(found *report.Report, out *os.File) error {
	return errors.Join(c.files(found), c.report(found, out))
}

func (c *Check) report(found *report.Report, out *os.File) error {
	if c.GitHub {
		commands := out
		if c.JSON {
			commands = os.Stderr // GitHub reads that, too
		}
		if err := found.GitHub(commands); err != nil {
			return err
		}
	}
	switch {
	case c.JSON:
		return found.JSON(out)
	case c.Quiet && found.Silent():
		return nil
	}
	return found.Text(out, c.textOptions(out))
}

func (c *Check) textOptions(out *os.File) report.TextOptions {
	return report.TextOptions{Color: terminal.Colors(out), Verbose: c.Verbose, Width: terminal.Width(out)}
}
