package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"webmcphub/registry/tokencount"
)

// the26 are the names that agents know from chrome-devtools-mcp.
var the26 = strings.Fields(`click drag fill fill_form handle_dialog hover press_key upload_file close_page list_pages navigate_page
	new_page select_page wait_for emulate resize_page performance_start_trace performance_stop_trace performance_analyze_insight
	get_network_request list_network_requests evaluate_script get_console_message list_console_messages take_screenshot take_snapshot`)

// lists measures what tools/list costs an agent.
func (st *stand) lists(ctx context.Context) error {
	tools, err := st.s.List(ctx)
	if err != nil {
		return err
	}
	v := st.v
	v[allTools] = float64(len(tools))
	for _, t := range tools {
		text := string(t.Text) + ","
		v.add(text, allBytes, allTokens)
		if st.at.known && slices.Contains(the26, t.Name) {
			v[sameTools]++
			v.add(text, sameBytes, sameTokens)
		}
	}
	return nil
}

// add counts a text.
func (v values) add(text string, bytes, cost figure) {
	v[bytes] += float64(len(text))
	v[cost] += float64(tokencount.Estimate(text))
}

// tenPages are those of which snapshots are taken.
var tenPages = []string{"form", "table", "article", "dashboard", "feed", "shop", "spa", "frames", "custom", "shadow"}

func sizeOf(page string) figure { return figure("snapshot of " + page) }

// tokensOf is what such a snapshot costs a model, as the hub estimates it for o200k_base.
func tokensOf(page string) figure { return figure("tokens of the snapshot of " + page) }

// controlsOf is how many controls of a page have a line in its snapshot.
func controlsOf(page string) figure { return figure("controls of " + page) }

// labels is a script that names the controls of a document that a person sees.
func labels(ten string) (string, error) {
	controls, err := os.ReadFile(filepath.Join(ten, "..", "controls.js"))
	return `JSON.stringify((() => {` + string(controls) + `
		const names = controls().map((e) => e.ariaLabel || e.labels?.[0]?.innerText || e.innerText || e.placeholder || e.title || e.alt || "");
		return names.map((n) => n.trim().split("\n")[0].trim().slice(0, 20)).filter((n) => /^[\w ]{2,}$/.test(n));
	})())`, err
}

// snapshots measures the text of snapshots, and how many controls that a person sees
// have their name in it.
func (st *stand) snapshots(ctx context.Context) error {
	script, err := labels(st.c.ten)
	if err != nil {
		return err
	}
	v := st.v
	v[labelsThere], v[labelsOf], v[controlsThere] = 0, 0, 0
	var lost []string
	for _, name := range tenPages {
		t, err := st.c.alone(ctx, func(ctx context.Context) (*tab, error) {
			st.c.opened++
			return st.c.openAt(ctx, fmt.Sprintf("/%s.html?%d", name, st.c.opened), loaded)
		})
		if err != nil {
			return err
		}
		page, err := st.at.arrive(ctx, st.c, st.s, t)
		if err != nil {
			return err
		}
		r, err := st.at.must(ctx, st.s, opSnapshot, aim{page: page})
		if err != nil {
			return err
		}
		v.add(r.Text, sizeOf(name), tokensOf(name))
		v.add(r.Text, snapshotBytes, snapshotTokens)
		whole := r
		if st.at.whole != nil {
			q := st.at.whole(page)
			if whole, err = st.s.Do(ctx, q.tool, q.args); err != nil {
				return err
			}
			if whole.IsError {
				return fmt.Errorf("%s: %.500s", q.tool, whole.Text)
			}
		}
		v.add(whole.Text, wholeBytes, wholeTokens)
		names, err := st.c.named(ctx, t, script)
		if err != nil {
			return err
		}
		for _, n := range names {
			v[labelsOf]++
			if strings.Contains(r.Text, n) {
				v[labelsThere]++
			} else {
				lost = append(lost, fmt.Sprintf("%s of %s", n, name))
			}
			if st.at.shows(r.Text, n) {
				v[controlsThere]++
				v[controlsOf(name)]++
			}
		}
	}
	if len(lost) > 0 {
		st.note("has in no line of its snapshots: %s%s.", strings.Join(lost[:min(len(lost), 8)], ", "),
			map[bool]string{true: " and others"}[len(lost) > 8])
	}
	return nil
}

// named gives the names that a script of [labels] finds.
func (c *chromium) named(ctx context.Context, t *tab, script string) (names []string, err error) {
	value, err := c.evaluate(ctx, t, script)
	if err != nil {
		return nil, err
	}
	var list string
	if err := json.Unmarshal(value, &list); err != nil {
		return nil, err
	}
	err = json.Unmarshal([]byte(list), &names)
	return names, err
}
