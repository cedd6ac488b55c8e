package share

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"
)

// A guest begins with a line that says hello. The owner answers with a welcome, or with why it refuses the guest.
// After that, the connection carries MCP messages.

// protocol is the revision of all that owner and guest send each other, with the views, states and notes of files in
// it.
// It must change when a version of the program understands these otherwise than an earlier one. Processes with
// different revisions understand nothing of each other but this number.
const protocol = 3

// maxHello is the longest hello or welcome in bytes.
const maxHello = 64 << 10

// A Setting is one that owner and guest must have in common.
type Setting struct {
	Name  string `json:"name"` // such as "--mode"
	Value string `json:"value"`
}

// off reports whether a setting asks for nothing: it is off, or has its type's zero value.
func (s Setting) off() bool {
	return slices.Contains([]string{"", "off", "false", "0", "0s", "[]"}, s.Value)
}

type hello struct {
	Protocol int `json:"webmcpHub"`
	PID      int `json:"pid"`
	// Version is as in Options.Version. A visitor sends none.
	Version string `json:"version,omitempty"`
	// View is as in Options.View. A guest always sends one; a visitor may send none.
	View json.RawMessage `json:"view,omitempty"`
	// Place is as in [Guest].
	Place json.RawMessage `json:"place,omitempty"`
}

type welcome struct {
	hello
	Settings []Setting `json:"settings"`
	Refused  string    `json:"refused,omitempty"`
}

var errGarbled = errors.New("it doesn't speak as a webmcp-hub does")

// greet says hello and reads the owner's welcome through in, which reads from conn, before ctx ends. The error is a
// [TakenError] if the owner refuses.
func greet(ctx context.Context, conn net.Conn, in *bufio.Reader, greeting hello) (w welcome, err error) {
	if err := checkPeer(conn); err != nil {
		return w, &TakenError{Why: err.Error()}
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	greeting.Protocol, greeting.PID = protocol, os.Getpid()
	if err = writeLine(conn, greeting); err == nil {
		err = hear(in, &w)
	}
	switch {
	case err != nil:
		return w, err
	case w.Protocol != protocol:
		return w, &TakenError{PID: w.PID, Why: "it has another version, which this one can't talk with; " + restartOlder}
	case w.Refused != "" && greeting.Version != "" && greeting.Version != w.Version:
		return w, &TakenError{PID: w.PID, Why: w.Refused + "; " + restartOlder}
	case w.Refused != "":
		return w, &TakenError{PID: w.PID, Why: w.Refused}
	case !stop():
		return w, context.Cause(ctx)
	}
	return w, nil
}

// joinOwner joins the owner as a guest. The link holds conn if there is no error.
func (o *Options) joinOwner(ctx context.Context, conn net.Conn) (*link, error) {
	greeting := hello{View: o.view(), Version: o.Version}
	if o.place != nil {
		greeting.Place = o.place()
	}
	l := &link{out: conn, view: greeting.View, close: func() { _ = conn.Close() }, closeOut: func() {
		if c, ok := conn.(*net.UnixConn); ok {
			_ = c.CloseWrite()
		}
	}}
	var from io.Reader = conn
	if files := newFilesReader(conn); files != nil && !o.NoFiles {
		from, l.files = files, files.take
		l.close = func() {
			_ = conn.Close()
			Files{Open: files.take()}.Close()
		}
	}
	in := bufio.NewReaderSize(from, maxHello)
	w, err := greet(ctx, conn, in, greeting)
	if err != nil {
		return nil, err
	}
	other := w.Version != o.Version
	ours := shortened(o.Settings)
	all, d := differences(ours, w.Settings, other), differences(ours, w.Settings, other, o.unset(ours)...)
	const ownChrome = ", or give this one a Chrome of its own (--user-data-dir or --isolated)"
	switch {
	case len(d) > 0 && other:
		return nil, &TakenError{PID: w.PID, Why: fmt.Sprintf("it is version %s, this one %s; %s; %s", w.Version, o.Version,
			strings.Join(d, "; "), restartOlder+ownChrome)}
	case len(d) > 0:
		return nil, &TakenError{PID: w.PID, Why: strings.Join(d, "; ") + ". Start both with the same flags" + ownChrome}
	case len(all) > 0:
		o.Logger.Warn("the hub that has this Chrome has rules, which hold for this client, too: "+strings.Join(all, "; "),
			"process", w.PID)
	}
	if other {
		o.Logger.Warn(fmt.Sprintf("the hub that has this Chrome is version %s, this one %s; %s", w.Version, o.Version,
			restartOlder), "process", w.PID)
	}
	l.in, l.pid, l.rules = in, w.PID, all
	return l, nil
}

// restartOlder is what to do after an update.
const restartOlder = "restart the clients that were started before the update, so that all have the newer version"

// view never returns nil, because owners tell guests from visitors by it.
func (o *Options) view() json.RawMessage {
	if o.View == nil {
		return json.RawMessage("null")
	}
	return o.View()
}

// writeLine sends a line.
func writeLine(w io.Writer, what any) error {
	line, err := json.Marshal(what)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// hear reads a line.
func hear(in *bufio.Reader, what any) error {
	line, err := in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		return errGarbled
	}
	if err != nil {
		return err
	}
	if json.Unmarshal(line, what) != nil {
		return errGarbled
	}
	return nil
}

// unset returns the names of the rules of which this process sets none; see Options.Rules.
func (o *Options) unset(ours []Setting) (names []string) {
	for _, group := range o.Rules {
		if !slices.ContainsFunc(ours, func(s Setting) bool { return slices.Contains(group, s.Name) && !s.off() }) {
			names = append(names, group...)
		}
	}
	return names
}

// differences says in words in what our settings and the owner's differ, but for those with the given names. If the
// owner is of another version, a setting that only one of the two knows may be there as long as it is off.
func differences(ours, theirs []Setting, otherVersion bool, but ...string) (found []string) {
	ignored := func(s Setting) bool { return slices.Contains(but, s.Name) }
	ours = slices.DeleteFunc(slices.Clone(ours), ignored)
	theirs = slices.DeleteFunc(slices.Clone(theirs), ignored)
	for _, o := range ours {
		i := slices.IndexFunc(theirs, func(t Setting) bool { return t.Name == o.Name })
		switch {
		case i < 0 && otherVersion && o.off():
		case i < 0:
			found = append(found, fmt.Sprintf("it doesn't know %s", o.Name))
		case theirs[i].Value != o.Value:
			found = append(found, fmt.Sprintf("it has %s %s, this one %s", o.Name, shown(theirs[i].Value),
				shown(o.Value)))
		}
	}
	for _, t := range theirs {
		known := slices.ContainsFunc(ours, func(o Setting) bool { return o.Name == t.Name })
		if !known && !(otherVersion && t.off()) {
			found = append(found, fmt.Sprintf("it has %s, which this one doesn't know", t.Name))
		}
	}
	return found
}

func shown(value string) string {
	if value == "" {
		return "not set"
	}
	return value
}

// shortened keeps a welcome within maxHello: it replaces a long value by its beginning and its hash.
func shortened(settings []Setting) []Setting {
	settings = slices.Clone(settings)
	for i, s := range settings {
		if len(s.Value) > 256 {
			settings[i].Value = strings.ToValidUTF8(s.Value[:200], "") + fmt.Sprintf("… (%x)",
				sha256.Sum256([]byte(s.Value)))
		}
	}
	return settings
}
