// Command picture draws docs/demo.gif, the moving picture at the top of
// README.md: the demo's shop in a real Chrome, and beside it what an agent
// calls through the real hub. Only the person's sentence is made up. Then it draws
// the hub's live page: docs/live.png after these calls, docs/live-question.png with a
// question of a hub with --safe, docs/live-phone.png as a phone shows that, and docs/live-views.png with
// five views at three widths, the middle one dark.
//
// Run it by "make picture", which builds the hub first.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"
)

// site is where the picture's shop is; Chrome is told that it is on this machine.
const site = "shop.example"

func main() {
	log.SetFlags(0)
	hub := flag.String("hub", "bin/webmcp-hub", "the hub's binary")
	pages := flag.String("pages", "cmd/webmcp-hub/commands", "the folder with the demo's pages")
	out := flag.String("out", "docs/demo.gif", "the file to write the film to")
	still := flag.String("live", "docs/live.png", "the file to write the live page's picture to; further ones are called after it")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	if err := shootFilm(ctx, *hub, *pages, *out, *still); err != nil {
		log.Fatalf("picture: %v", err)
	}
}

func shootFilm(ctx context.Context, hub, pages, out, still string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: http.FileServer(http.Dir(pages)), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Close() }()

	chrome, err := launch.Start(ctx, launch.Options{Headless: true, Args: []string{
		"--remote-debugging-port=0",
		"--host-resolver-rules=MAP " + site + ":80 " + listener.Addr().String(),
		"--unsafely-treat-insecure-origin-as-secure=http://" + site,
	}})
	if err != nil {
		return err
	}
	defer func() { _ = chrome.Close() }()
	endpoint, err := cdpclient.ActivePortURL(chrome.UserDataDir)
	if err != nil {
		return err
	}
	browser := &browser{conn: cdpclient.NewConn(chrome.Wire, func(cdpclient.Message) {})}
	defer func() { _ = browser.conn.Close() }()

	shop, err := browser.open(ctx, "http://"+site+"/shop.html", 440, 420)
	if err != nil {
		return err
	}
	support, err := browser.open(ctx, "http://"+site+"/support.html", 900, 700)
	if err != nil {
		return err
	}
	if err := browser.until(ctx, support, "document.readyState === 'complete'"); err != nil {
		return err
	}
	if err := browser.closeOthers(ctx); err != nil { // so that the shop is the first tab
		return err
	}
	output := &hubLog{links: make(chan string, 1)}
	agent, err := startAgent(ctx, hub, endpoint, output)
	if err != nil {
		return err
	}
	defer func() { _ = agent.Close() }()

	stage, err := browser.open(ctx, "about:blank", 1080, 480)
	if err != nil {
		return err
	}
	film := &film{browser: browser, shop: shop, stage: stage}
	if err := play(ctx, agent, film); err != nil {
		return err
	}
	if err := browser.conn.Call(ctx, stage, "Page.close", nil, nil); err != nil {
		return err
	}
	live, err := shootLive(ctx, browser, agent, output, still)
	if err != nil {
		return err
	}
	if err := agent.Close(); err != nil {
		return err
	}
	still = strings.TrimSuffix(still, ".png")
	questions, err := shootQuestion(ctx, browser, hub, endpoint, still)
	if err != nil {
		return err
	}
	if err := browser.sheet(ctx, append(questions, live...), still+"-views.png"); err != nil {
		return err
	}
	return film.write(out)
}

// write writes the film to a file.
func (f *film) write(out string) error {
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	if err := f.encode(file); err != nil {
		_ = file.Close()
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s: %d frames\n", out, len(f.frames))
	return nil
}
