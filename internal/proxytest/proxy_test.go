package proxytest

import (
	"bufio"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shouting is a server that sends each line back.
func shouting(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				for lines := bufio.NewScanner(c); lines.Scan(); {
					if _, err := c.Write(append(lines.Bytes(), '\n')); err != nil {
						return
					}
				}
			}()
		}
	}()
	return l.Addr().String()
}

func TestWays(t *testing.T) {
	p, err := Listen("", shouting(t))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	c, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	lines := bufio.NewReader(c)
	say := func(text string) {
		if _, err := c.Write([]byte(text + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	hear := func(want string, within time.Duration) error {
		_ = c.SetReadDeadline(time.Now().Add(within))
		got, err := lines.ReadString('\n')
		if err == nil && got != want+"\n" {
			t.Errorf("heard %q, want %q", got, want)
		}
		return err
	}
	say("one")
	if err := hear("one", 5*time.Second); err != nil {
		t.Fatal(err)
	}
	for _, w := range []Way{Cut, ToTarget, ToCaller} {
		p.Set(w)
		say("held")
		if err := hear("", 50*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("way %d lets through, or breaks: %v", w, err)
		}
		p.Set(Open)
		if err := hear("held", 5*time.Second); err != nil {
			t.Errorf("after way %d: %v", w, err)
		}
	}
	p.Set(Slow)
	say("slow")
	if err := hear("slow", 5*time.Second); err != nil {
		t.Error(err)
	}
	if to, from := p.Passed(); to != from || to != int64(len("one\nheld\nheld\nheld\nslow\n")) {
		t.Errorf("%d and %d bytes passed", to, from)
	}
	p.Set(Refused)
	if err := hear("", 5*time.Second); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection goes on: %v", err)
	}
}
