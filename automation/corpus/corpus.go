package corpus

import (
	_ "embed"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// SeenScript is a JavaScript function that returns the [Seen] of the page that it runs in.
//
//go:embed seen.js
var SeenScript string

// ControlsScript is a JavaScript function that puts the controls of the page that it runs in into window.controls, and
// returns how many there are. From then on it keeps clicks from the page and records them in window.clicked, until that
// is null.
//
//go:embed controls.js
var ControlsScript string

// Corpus serves the pages. Any goroutine may use it.
type Corpus struct {
	mux     *http.ServeMux
	bundles string // the folder with the bundled scripts
}

// Open makes the pages of this package ready to be served. dir is the package's folder, in which
// "npm ci" was run. Close must be called.
func Open(dir string) (*Corpus, error) {
	bundles, err := os.MkdirTemp("", "corpus-")
	if err != nil {
		return nil, err
	}
	c := &Corpus{mux: http.NewServeMux(), bundles: bundles}
	if err := bundle(dir, bundles); err != nil {
		c.Close()
		return nil, err
	}
	c.mux.Handle("/", http.FileServer(http.Dir(filepath.Join(dir, "pages"))))
	c.mux.Handle("/npm/", http.StripPrefix("/npm/", http.FileServer(http.Dir(filepath.Join(dir, "node_modules")))))
	c.mux.Handle("/bundle/", http.StripPrefix("/bundle/", http.FileServer(http.Dir(bundles))))
	c.mux.Handle("/debian/", http.StripPrefix("/debian/", http.FileServer(http.Dir(debian))))
	c.mux.HandleFunc("/tiles/", tile)
	return c, nil
}

// Close removes what Open made.
func (c *Corpus) Close() { _ = os.RemoveAll(c.bundles) }

// ServeHTTP serves a page, or a file that a page needs.
func (c *Corpus) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.mux.ServeHTTP(w, r) }

// bundle makes one script of each in pages/src and of the packages that it imports.
func bundle(dir, into string) error {
	found, err := filepath.Glob(filepath.Join(dir, "node_modules/@esbuild/*/bin/esbuild"))
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf("esbuild is not in %s/node_modules: run npm ci in %s", dir, dir)
	}
	scripts, err := filepath.Glob(filepath.Join(dir, "pages/src/*.js*"))
	if err != nil {
		return err
	}
	cmd := exec.Command(found[0], append(scripts, "--bundle", "--format=esm", "--jsx=automatic", "--loader:.css=text",
		"--log-level=error",
		"--define:process.env.NODE_ENV=\"production\"", "--define:global=globalThis", "--outdir="+into)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("esbuild: %w\n%s", err, out)
	}
	return nil
}

// tile draws a square of a map, in a color that depends on its place.
func tile(w http.ResponseWriter, r *http.Request) {
	var z, x, y int
	if _, err := fmt.Sscanf(strings.TrimPrefix(r.URL.Path, "/tiles/"), "%d/%d/%d.png", &z, &x, &y); err != nil {
		http.NotFound(w, r)
		return
	}
	square := image.NewRGBA(image.Rect(0, 0, 256, 256))
	draw.Draw(square, square.Bounds(),
		image.NewUniform(color.RGBA{uint8(150 + 40*(x&1)), uint8(180 + 30*(y&1)), 200, 255}), image.Point{}, draw.Src)
	w.Header().Set("Content-Type", "image/png")
	_ = png.Encode(w, square)
}

// deep defines $ and $$, which find elements in open shadow roots too.
const deep = `const $$ = (at, root = document) => [...root.querySelectorAll(at), ...[...root.querySelectorAll("*")].flatMap((e) => e.shadowRoot ? $$(at, e.shadowRoot) : [])];
	const $ = (at) => document.querySelector(at) || $$(at)[0] || null;`

// Is returns a JavaScript expression that says whether a condition holds. In the condition, $ and $$ find elements.
func Is(condition string) string {
	return "(() => {" + deep + "try { return !!(" + condition + ") } catch (e) { return false } })()"
}

// Value returns a JavaScript expression for the value of another, in which $ and $$ find elements.
func Value(expression string) string {
	return "(() => {" + deep + "return " + expression + " })()"
}

// Element returns a JavaScript expression for one of the elements that a selector finds, counted from 0; undefined if
// there are fewer.
func Element(selector string, i int) string {
	return Value("$$(" + strconv.Quote(selector) + ")[" + strconv.Itoa(i) + "]")
}

// Becomes returns a JavaScript expression for a promise that says whether a condition becomes true within 20 s.
func Becomes(condition string) string {
	return "new Promise((done) => { const end = Date.now() + 20000, look = () => " + Is(condition) +
		" ? done(true) : Date.now() > end ? done(false) : setTimeout(look, 10); look() })"
}
