package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A program is the hub, or the cluster, as goreleaser has built it for one platform.
type program struct {
	goos, goarch string
	path         string
}

// name is the file's name on its platform.
func (p program) name() string {
	if p.goos == "windows" {
		return "webmcp-hub.exe"
	}
	return "webmcp-hub"
}

// platform and cpu are Node's words for where the program runs. Clients written in JavaScript use them, too.
func (p program) platform() string {
	if p.goos == "windows" {
		return "win32"
	}
	return p.goos
}

func (p program) cpu() string {
	if p.goarch == "amd64" {
		return "x64"
	}
	return p.goarch
}

// platforms are those that a release is built for.
var platforms = []program{
	{goos: "linux", goarch: "amd64"}, {goos: "linux", goarch: "arm64"},
	{goos: "darwin", goarch: "amd64"}, {goos: "darwin", goarch: "arm64"},
	{goos: "windows", goarch: "amd64"}, {goos: "windows", goarch: "arm64"},
}

// A release is what all packages of one version have in common.
type release struct {
	names
	version string
	time    time.Time // of the commit
	root    string    // of the repository
	dist    string    // where the packages go
}

// makePackages makes all packages of the programs that goreleaser's list of artifacts in dist has.
func makePackages(root, dist string, n names) error {
	r, err := releaseOf(root, dist, n)
	if err != nil {
		return err
	}
	var built []program
	for _, id := range []string{"webmcp-hub-cluster", "webmcp-hub"} {
		if built, err = builtPrograms(dist, id); err != nil {
			return err
		}
		if err := r.makeSBOMs(id, built); err != nil {
			return err
		}
	}
	return r.makeAll(built)
}

// releaseOf returns the release that goreleaser has built in dist.
func releaseOf(root, dist string, n names) (r release, err error) {
	content, err := os.ReadFile(filepath.Join(dist, "metadata.json"))
	if err != nil {
		return r, fmt.Errorf("nothing has been built (run \"make release\"): %w", err)
	}
	var built struct{ Version, Commit string }
	if err := json.Unmarshal(content, &built); err != nil {
		return r, fmt.Errorf("goreleaser's metadata.json: %w", err)
	}
	when, err := committed(root, built.Commit)
	return release{n, built.Version, when, root, dist}, err
}

// makeAll makes the packages of the hub.
func (r release) makeAll(built []program) error {
	bundles, err := r.makeBundles(built)
	if err != nil {
		return err
	}
	return errors.Join(r.makeNPM(built), r.makeExtensions(), r.makeStoreZip(), r.makeServerJSON(bundles))
}

// builtPrograms returns the programs that goreleaser has built under an id of its configuration.
func builtPrograms(dist, id string) (built []program, err error) {
	content, err := os.ReadFile(filepath.Join(dist, "artifacts.json"))
	if err != nil {
		return nil, fmt.Errorf("goreleaser has built nothing: %w", err)
	}
	var artifacts []struct {
		Type, Goos, Goarch, Path string
		Extra                    struct{ ID string }
	}
	if err := json.Unmarshal(content, &artifacts); err != nil {
		return nil, fmt.Errorf("goreleaser's artifacts.json: %w", err)
	}
	for _, a := range artifacts {
		if a.Type == "Binary" && a.Extra.ID == id {
			built = append(built, program{a.Goos, a.Goarch, a.Path})
		}
	}
	if built == nil {
		return nil, fmt.Errorf("goreleaser has built no %s", id)
	}
	return built, nil
}

// A file is one file of a package.
type file struct {
	name    string
	content []byte
	program bool // whether it can be executed
}

func (f file) mode() os.FileMode {
	if f.program {
		return 0o755
	}
	return 0o644
}

func encode(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic(err) // maps, slices and strings only
	}
	return out.Bytes()
}

// tarball writes files to a .tar.gz in the folder for packages. Their names begin with prefix.
func (r release) tarball(name, prefix string, files []file) error {
	var out bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(zipped)
	for _, f := range files {
		if err := t.WriteHeader(&tar.Header{Name: prefix + f.name, Mode: int64(f.mode()), Size: int64(len(f.content)),
			ModTime: r.time, Format: tar.FormatUSTAR}); err != nil {
			return err
		}
		if _, err := t.Write(f.content); err != nil {
			return err
		}
	}
	if err := errors.Join(t.Close(), zipped.Close()); err != nil {
		return err
	}
	return r.write(name, out.Bytes())
}

// zipped returns files as a zip archive.
func (r release) zipped(files []file) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: r.time}
		header.SetMode(f.mode())
		w, err := z.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return out.Bytes(), err
}

func (r release) write(name string, content []byte) error {
	path := filepath.Join(r.dist, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}

// withLicense adds the repository's LICENSE, where there is one.
func (r release) withLicense(files ...file) []file {
	if content, err := os.ReadFile(filepath.Join(r.root, "LICENSE")); err == nil {
		files = append(files, file{name: "LICENSE", content: content})
	}
	return files
}
