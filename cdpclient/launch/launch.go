package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"webmcphub/cdpclient"
)

const (
	launchTimeout = 30 * time.Second // for Chrome to answer its first command
	quitTimeout   = 5 * time.Second  // for Chrome to exit after its pipe is closed
)

// Options say which Chrome to start and how. The zero value starts any installed one, visible, with a temporary
// profile.
type Options struct {
	ExecutablePath string // "" means Find(Channel)
	Channel        string
	UserDataDir    string // the profile; "" means a temporary one, removed by Close
	Headless       bool
	NoSandbox      bool         // always on for root, where Chrome can't have a sandbox
	Args           []string     // further flags and addresses; --enable-features is merged
	Env            []string     // "NAME=value", in addition to what environ returns
	Stderr         io.Writer    // Chrome's log; nil discards it
	Logger         *slog.Logger // nil discards
	// Outlives makes Chrome live on when this process ends while another process holds [Chrome.Ends]. Then a Chrome
	// that hangs isn't killed with this process.
	Outlives bool
}

// Chrome is a browser that this process started or took over. It ends when its Wire is closed, at Close, and when this
// process ends for any reason, unless another process has its Ends.
type Chrome struct {
	Wire        cdpclient.Wire // has answered its first command
	PID         int
	Version     cdpclient.BrowserVersion
	UserDataDir string

	log     *slog.Logger
	temp    bool
	release func() // releases a temporary profile
	adoption
	exited  chan struct{}
	exitErr error // set before exited is closed; nil for a Chrome that was taken over
	once    sync.Once
	err     error
}

// Start starts Chrome and waits, at most 30 s, until it answers. ctx ends the waiting, not the browser.
func Start(ctx context.Context, o Options) (*Chrome, error) {
	if err := canLaunch(); err != nil {
		return nil, err
	}
	exe, err := findExecutable(o)
	if err != nil {
		return nil, err
	}
	further := furtherAddresses(o)
	if err := wholeAddresses(further); err != nil {
		return nil, err
	}
	c := &Chrome{log: o.Logger, exited: make(chan struct{}), UserDataDir: profileOf(o),
		adoption: adoption{outlives: o.Outlives}}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if c.UserDataDir == "" {
		c.temp = true
		if c.UserDataDir, c.release, err = newTempProfile(); err != nil {
			return nil, err
		}
	}
	if !c.temp {
		if err := UsableProfile(c.UserDataDir); err != nil {
			return nil, err
		}
	}
	tail := &tailWriter{next: o.Stderr}
	cmd := exec.Command(exe, chromeArgs(o, c.UserDataDir, c.temp)...)
	cmd.Env = append(environ(), o.Env...)
	cmd.Stderr = tail
	cmd.WaitDelay = 2 * time.Second // a grandchild may hold stderr open
	if err := c.start(cmd); err != nil {
		c.removeProfile()
		return nil, fmt.Errorf("start Chrome: %w", err)
	}
	c.log.Debug("chrome started", "path", exe, "pid", c.PID, "profile", c.UserDataDir)
	if err := c.greet(ctx, further); err != nil {
		c.kill()
		<-c.exited
		_ = c.Close()
		return nil, c.explain(err, exe, tail.String())
	}
	return c, nil
}

func findExecutable(o Options) (string, error) {
	if o.ExecutablePath == "" {
		return Find(o.Channel)
	}
	path, err := exec.LookPath(o.ExecutablePath)
	if err != nil {
		return "", fmt.Errorf("there is no Chrome at %s (%w); correct --executable-path", o.ExecutablePath, err)
	}
	return path, nil
}

// start runs Chrome with file descriptors 3 and 4 as its debugging pipe. If a child doesn't outlive this process,
// Linux kills it when the *thread* that started it ends. So one goroutine starts Chrome, keeps its thread and waits.
func (c *Chrome) start(cmd *exec.Cmd) error {
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return err
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		return errors.Join(err, theirIn.Close(), ourOut.Close())
	}
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	cmd.SysProcAttr = procAttr(c.outlives)
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		err := cmd.Start()
		_ = errors.Join(theirIn.Close(), theirOut.Close()) // Chrome has its own copies
		if err == nil {
			c.PID = cmd.Process.Pid
		}
		started <- err
		if err != nil {
			return
		}
		err = cmd.Wait()
		killGroup(c.PID) // kills helpers that outlived their browser
		if errors.Is(err, exec.ErrWaitDelay) {
			err = nil
		}
		c.exitErr = err
		c.log.Debug("chrome exited", "pid", c.PID, "error", err)
		close(c.exited)
	}()
	if err := <-started; err != nil {
		return errors.Join(err, ourIn.Close(), ourOut.Close())
	}
	c.Wire = cdpclient.NewPipeWire(ourIn, ourOut)
	c.ends = Ends{From: ourIn, To: ourOut, PID: c.PID, Owners: 1}
	return nil
}

var errTooSlow = fmt.Errorf("no answer within %s", launchTimeout)

// greet requests Chrome's version, to find out whether Chrome is up, and makes Chrome open these addresses.
func (c *Chrome) greet(ctx context.Context, addresses []string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, launchTimeout, errTooSlow)
	defer cancel()
	return c.within(ctx, func() error { return c.firstCommands(addresses) })
}

// within calls speak, and closes the wire if ctx ends first.
func (c *Chrome) within(ctx context.Context, speak func() error) error {
	answer := make(chan error, 1)
	go func() { answer <- speak() }()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		_ = c.Wire.Close() // makes speak return
		<-answer
		return context.Cause(ctx)
	}
}

func (c *Chrome) firstCommands(addresses []string) error {
	if err := c.ask(1, cdpclient.BrowserGetVersion, struct{}{}, &c.Version); err != nil {
		return err
	}
	for i, address := range addresses {
		if err := c.ask(2+i, cdpclient.TargetCreateTarget, cdpclient.CreateTargetParams{URL: address},
			nil); err != nil {
			return fmt.Errorf("open %s: %w", address, err)
		}
	}
	return nil
}

// ask sends a command before there is a [cdpclient.Conn], and decodes its result into out unless that is nil.
func (c *Chrome) ask(id int, method string, params, out any) error {
	command, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params})
	if err != nil {
		return err
	}
	if err := c.Wire.Write(command); err != nil {
		return err
	}
	for {
		msg, err := c.Wire.Read()
		if err != nil {
			return err
		}
		var reply struct {
			ID     int
			Result json.RawMessage
			Error  *cdpclient.Error
		}
		switch err := json.Unmarshal(msg, &reply); {
		case err != nil, reply.ID != id: // an event, or a reply to another owner
		case reply.Error != nil:
			return reply.Error
		case out == nil:
			return nil
		default:
			return json.Unmarshal(reply.Result, out)
		}
	}
}

// Exited returns a channel that is closed when the browser process is gone.
func (c *Chrome) Exited() <-chan struct{} {
	c.watch()
	return c.exited
}

// ExitErr returns the error of the process's end: nil for exit code 0, and before the end.
func (c *Chrome) ExitErr() error {
	select {
	case <-c.exited:
		return c.exitErr
	default:
		return nil
	}
}

// Close asks Chrome to quit by closing its pipe, kills what is left after 5 s,
// and removes a temporary profile. It returns when Chrome is gone.
func (c *Chrome) Close() error {
	c.once.Do(func() {
		c.quit()
		_ = c.Wire.Close() // Chrome quits either way
		select {
		case <-c.Exited():
		case <-time.After(quitTimeout):
			c.log.Warn("chrome did not quit, killing it", "pid", c.PID)
			c.kill()
			<-c.exited
		}
		c.err = c.removeProfile()
	})
	return c.err
}

func (c *Chrome) kill() {
	select {
	case <-c.exited: // another process may have its id by now
	default:
		if !c.adopted || processStart(c.PID) == c.began {
			killGroup(c.PID)
		}
	}
}

// removeProfile removes a temporary profile. It tries 20 times, because Chrome's helpers may still write to it.
func (c *Chrome) removeProfile() error {
	if !c.temp {
		return nil
	}
	defer c.release()
	var err error
	for range 20 {
		if err = os.RemoveAll(c.UserDataDir); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("remove the temporary profile: %w", err)
}
