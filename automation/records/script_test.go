package records

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"webmcphub/internal/scripttest"
)

// TestScripts plays what a tab's events make of its lists. A line of a script is
//
//	tab loader=L url=U [messages=N] [requests=N] [bytes=N]
//	network at=MILLISECONDS
//	play FILE                 events as Chromium sent them
//	event METHOD JSON         one event, of the tab's session
//	repeat N event METHOD JSON with %d for the count
//	messages | requests [types=a,b] [text=] [url=] [method=] [status=] [preserved=yes] [stacks=yes] [size=N] [page=N]
//	message ID | request ID | downloads
//
// and what it prints follows, indented.
func TestScripts(t *testing.T) {
	scripttest.Play(t, func(t *testing.T, text string) string {
		var out strings.Builder
		var s script
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if strings.HasPrefix(line, "\t") {
				continue // what was printed last time
			}
			out.WriteString(line + "\n")
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			printed, err := s.do(line)
			if err != nil {
				printed = "error: " + err.Error()
			}
			for l := range strings.Lines(printed) {
				out.WriteString("\t" + strings.TrimRight(l, "\n") + "\n")
			}
		}
		return out.String()
	})
}

type script struct{ tab *Tab }

func (s *script) do(line string) (string, error) {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "event":
		method, params, _ := strings.Cut(rest, " ")
		if !json.Valid([]byte(params)) {
			return "", fmt.Errorf("no JSON: %s", params)
		}
		s.tab.Event(method, json.RawMessage(params), "tab")
		return "", nil
	case "repeat":
		n, event, _ := strings.Cut(rest, " ")
		for i := range atoi(n) {
			if _, err := s.do(strings.ReplaceAll(event, "%d", strconv.Itoa(i))); err != nil {
				return "", err
			}
		}
		return "", nil
	case "play":
		return "", play(s.tab, rest)
	}
	args, named, err := scripttest.Words(line)
	if err != nil {
		return "", err
	}
	return s.ask(args, named)
}

func (s *script) ask(args []string, named map[string]string) (string, error) {
	paging := Paging{number(named, "size"), number(named, "page")}
	var types []string
	if named["types"] != "" {
		types = strings.Split(named["types"], ",")
	}
	switch args[0] {
	case "tab":
		b := Bounds{Messages: Limit{atoi(named["messages"]), atoi(named["bytes"])}, Requests: Limit{atoi(named["requests"]), atoi(named["bytes"])}, Frames: atoi(named["frames"])}
		s.tab = New(b, Start{Session: "tab", Loader: named["loader"], URL: named["url"]})
		return "", nil
	case "network":
		s.tab.NetworkOn(float64(atoi(named["at"])))
		return "", nil
	case "messages":
		l, err := s.tab.Messages(MessageQuery{Paging: paging, Types: types, Text: named["text"], Preserved: named["preserved"] != "", Stacks: named["stacks"] != ""})
		return l.Text(), err
	case "requests":
		l, err := s.tab.Requests(RequestQuery{Paging: paging, Types: types, URL: named["url"], Method: named["method"], Status: named["status"], Preserved: named["preserved"] != ""})
		return l.Text(), err
	case "message":
		m, err := s.tab.Message(atoi(args[1]))
		if err != nil {
			return "", err
		}
		return m.Detail([]Document{s.tab.Document()}), nil
	case "request":
		r, err := s.tab.Request(atoi(args[1]))
		if err != nil {
			return "", err
		}
		d := RequestDetail{Request: r, Redirects: s.tab.Redirects(r.ID)}
		return d.Text(), nil
	case "downloads":
		return s.tab.Downloads(nil).Text(), nil
	}
	return "", fmt.Errorf("what is %s?", args[0])
}

func play(tab *Tab, file string) error {
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(data)) {
		var e struct {
			Method, Session string
			Params          json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return err
		}
		tab.Event(e.Method, e.Params, e.Session)
	}
	return nil
}

func atoi(s string) int { n, _ := strconv.Atoi(s); return n }

func number(named map[string]string, key string) *int {
	if named[key] == "" {
		return nil
	}
	n := atoi(named[key])
	return &n
}
