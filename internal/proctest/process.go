package proctest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Process is one that was started.
type Process struct {
	Name string
	cmd  *exec.Cmd
	log  string // the file with all that it said
	gone chan struct{}
	err  error // how it ended; set before gone is closed
}

// Start starts a program. All that it says goes into NAME.log in the folder, after what an
// earlier process of the name said. Its environment is this process's and env. On Linux it dies with
// this process, even if that is killed.
func Start(name, folder, program string, args, env []string) (*Process, error) {
	p := &Process{Name: name, log: filepath.Join(folder, name+".log"), gone: make(chan struct{})}
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close() // the process has its own
	p.cmd = exec.Command(program, args...)
	p.cmd.Stdout, p.cmd.Stderr = out, out
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.SysProcAttr = attributes()
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s could not be started: %w", name, err)
	}
	go func() {
		defer close(p.gone)
		p.err = p.cmd.Wait()
	}()
	return p, nil
}

// Signal sends the process a signal. One that has ended gets none.
func (p *Process) Signal(s syscall.Signal) error {
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("%s could not be sent %v: %w", p.Name, s, err)
	}
	return nil
}

// Freeze stops the process's time until Thaw: sockets stay open, nothing answers.
func (p *Process) Freeze() error { return p.Signal(syscall.SIGSTOP) }

// Thaw lets a frozen process go on.
func (p *Process) Thaw() error { return p.Signal(syscall.SIGCONT) }

// Kill ends the process without warning, and waits until it is gone.
func (p *Process) Kill() error {
	err := p.Signal(syscall.SIGKILL)
	<-p.gone
	return err
}

// Terminate asks the process to end, and kills it when it takes longer than so long, which is
// an error.
func (p *Process) Terminate(within time.Duration) error {
	if err := p.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-p.gone:
		return nil
	case <-time.After(within):
		_ = p.Kill()
		return fmt.Errorf("%s had not ended %v after it was asked to\n%s", p.Name, within, p.Tail())
	}
}

// Gone is closed when the process has ended.
func (p *Process) Gone() <-chan struct{} { return p.gone }

// Running says what became of a process that has ended: an error with its last words.
func (p *Process) Running() error {
	select {
	case <-p.gone:
		return fmt.Errorf("%s has ended (%v)\n%s", p.Name, p.err, p.Tail())
	default:
		return nil
	}
}

// Tail is the last of what the process said.
func (p *Process) Tail() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return "… " + strings.Join(lines[max(0, len(lines)-15):], "\n… ")
}

// Await asks until ready says nil, for so long as ctx lasts and the process runs. The error is
// the last that ready gave.
func Await(ctx context.Context, p *Process, ready func() error) error {
	for {
		err := ready()
		if err == nil {
			return nil
		}
		if p != nil {
			if ended := p.Running(); ended != nil {
				return ended
			}
		}
		select {
		case <-ctx.Done():
			if p != nil {
				return fmt.Errorf("%s: %w\n%s", p.Name, err, p.Tail())
			}
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}
