package e2e

import (
	"strings"
	"sync"
	"testing"
)

// A pool lends Chromiums of one kind to tests, each to one test at a time,
// because a hub sees all tabs of its Chrome. They outlive the tests that don't
// harm them.
type pool struct {
	launch func(*testing.T) *chrome
	tidy   func(*testing.T, *chrome) // takes away what a test left, but for its tabs; may be nil

	mu   sync.Mutex
	idle []*chrome
	lent map[string]*chrome // by the test's name
}

var (
	withNative    = &pool{launch: func(t *testing.T) *chrome { return mustLaunch(t, true) }}
	withoutNative = &pool{launch: func(t *testing.T) *chrome { return mustLaunch(t, false) }}

	withExtension                 = &pool{launch: func(t *testing.T) *chrome { return launchExtended(t, true) }, tidy: unpair}
	withExtensionAndWithoutNative = &pool{launch: func(t *testing.T) *chrome { return launchExtended(t, false) }, tidy: unpair}
	withAutomatedExtension        = &pool{launch: launchAutomated, tidy: unpair}

	pools = []*pool{withNative, withoutNative, withExtension, withExtensionAndWithoutNative, withAutomatedExtension}
)

// lend is a Chromium without tabs, until the test ends. A test gets the same each
// time, and a subtest that of its parent, if that has one.
func (p *pool) lend(t *testing.T) *chrome {
	t.Helper()
	c := p.of(t.Name())
	if c == nil {
		c = p.take()
		if c == nil {
			c = p.launch(t)
			c.closeTabs(t)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.lent == nil {
			p.lent = map[string]*chrome{}
		}
		p.lent[t.Name()] = c
		t.Cleanup(func() { p.takeBack(t, c) })
		return c
	}
	t.Cleanup(func() { c.closeTabs(t) })
	return c
}

// of is what a test or one of its parents has.
func (p *pool) of(test string) *chrome {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if c := p.lent[test]; c != nil {
			return c
		}
		end := strings.LastIndex(test, "/")
		if end < 0 {
			return nil
		}
		test = test[:end]
	}
}

// take is one that lives and nobody has, or nil.
func (p *pool) take() *chrome {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) > 0 {
		c := p.idle[len(p.idle)-1]
		p.idle = p.idle[:len(p.idle)-1]
		select {
		case <-c.exited:
			c.forget()
		default:
			return c
		}
	}
	return nil
}

// takeBack readies the Chromium for the next test, unless this one has failed:
// who knows in what state it left it.
func (p *pool) takeBack(t *testing.T, c *chrome) {
	defer func() { // also when something here fails
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.lent, t.Name())
		if t.Failed() {
			c.kill()
			c.forget()
			return
		}
		p.idle = append(p.idle, c)
	}()
	if t.Failed() {
		return
	}
	if p.tidy != nil {
		p.tidy(t, c)
	}
	c.closeTabs(t)
}

func closePools() {
	for _, p := range pools {
		for _, c := range p.idle {
			c.kill()
			c.forget()
		}
	}
}
