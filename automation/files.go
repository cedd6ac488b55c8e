package automation

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"webmcphub/internal/mask"
	"webmcphub/registry/sanitize"
)

// secrets masks what is written to files and what reports of traces quote. It doesn't mask what an agent asks for as
// it is: the bodies of requests, results of its scripts, and screenshots.
var secrets mask.Masker

// Folders are the folders in which a client lets the tools read and write files. For a client whose files are on
// another machine, there are none.
type Folders []string

// ErrElsewhere says that there are no such folders.
var ErrElsewhere = errors.New("your files are not on the machine of the browser, where none can be read or written " +
	"for you: leave the file out")

// FoldersOf returns a client's folders: its roots, which are file URIs, and the system's folder for temporary files.
func FoldersOf(roots []string) Folders {
	var folders Folders
	for _, root := range roots {
		if u, err := url.Parse(root); err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") {
			folders = append(folders, filepath.FromSlash(u.Path))
		}
	}
	return append(folders, os.TempDir())
}

// open opens the folder in which a path lies, and returns the path within it. A symbolic link can't lead out of the
// folder, because [os.Root] doesn't follow such a link.
func (folders Folders) open(path string) (folder *os.Root, within string, err error) {
	if len(folders) == 0 {
		return nil, "", ErrElsewhere
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(folders[0], path)
	}
	path = filepath.Clean(path)
	for _, f := range folders {
		within, err := filepath.Rel(f, path)
		if err != nil || !filepath.IsLocal(within) {
			// The path may use another name of the folder than the client.
			if real, e := filepath.EvalSymlinks(f); e == nil {
				within, err = filepath.Rel(real, path)
			}
		}
		if err != nil || !filepath.IsLocal(within) {
			continue
		}
		if err := protected(realPath(filepath.Join(f, within))); err != nil {
			return nil, "", err
		}
		root, err := os.OpenRoot(f)
		if err != nil {
			continue
		}
		return root, within, nil
	}
	return nil, "", fmt.Errorf("%s lies outside the folders that may be used: %s. Name a file in one of these, or "+
		"have your client declare its workspace as a root",
		sanitize.Text(path, 300), strings.Join(folders, ", "))
}

// Save writes a file for the agent and returns its path. It adds the extension for the content, if the path lacks it.
// An existing file is replaced. A symbolic link is not followed out of its folder. Only the user can read the file.
func (folders Folders) Save(path, extension string, write func(io.Writer) error) (saved string, err error) {
	if have := filepath.Ext(path); have != extension && !strings.HasSuffix(path, extension) {
		path += extension
	}
	folder, within, err := folders.open(path)
	if err != nil {
		return "", err
	}
	defer folder.Close()
	if dir := filepath.Dir(within); dir != "." {
		if err := folder.MkdirAll(dir, 0o700); err != nil {
			return "", fmt.Errorf("the file was not saved: %w", withoutOp(err))
		}
	}
	file, err := regular(folder, within, os.O_WRONLY|os.O_CREATE)
	if err == nil {
		// An existing file may be readable by others.
		if err = errors.Join(file.Chmod(0o600), file.Truncate(0)); err != nil {
			file.Close()
		}
	}
	if err != nil {
		return "", fmt.Errorf("the file was not saved: %w", withoutOp(err))
	}
	err = write(file)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return "", fmt.Errorf("the file was not saved whole: %w", withoutOp(err))
	}
	return filepath.Join(folder.Name(), within), nil
}

// SaveText does the same as Save for a text.
func (folders Folders) SaveText(path, extension, text string) (string, error) {
	return folders.Save(path, extension, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}

// Readable checks that the agent may read files, and returns their paths with all symbolic links resolved, as the
// browser will open them.
func (folders Folders) Readable(paths []string) (real []string, err error) {
	for _, path := range paths {
		folder, within, err := folders.open(path)
		if err != nil {
			return nil, err
		}
		info, err := folder.Stat(within)
		folder.Close()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("there is no file %s", sanitize.Text(path, 300))
		case err != nil:
			return nil, fmt.Errorf("%s can't be used: %w", sanitize.Text(path, 300), withoutOp(err))
		case info.IsDir():
			return nil, fmt.Errorf("%s is no file but a folder, which can't be uploaded: name its files",
				sanitize.Text(path, 300))
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s is no file", sanitize.Text(path, 300))
		}
		at, err := filepath.EvalSymlinks(filepath.Join(folder.Name(), within))
		if err == nil {
			err = protected(at)
		}
		if err != nil {
			return nil, fmt.Errorf("%s can't be used: %w", sanitize.Text(path, 300), withoutOp(err))
		}
		if now, err := os.Lstat(at); err != nil || !os.SameFile(info, now) { // otherwise a link was changed meanwhile
			return nil, fmt.Errorf("%s can't be used: it was replaced just now", sanitize.Text(path, 300))
		}
		real = append(real, at)
	}
	return real, nil
}

// ReadText reads a file of the agent, of at most max bytes.
func (folders Folders) ReadText(path string, max int64) (string, error) {
	folder, within, err := folders.open(path)
	if err != nil {
		return "", err
	}
	defer folder.Close()
	file, err := regular(folder, within, os.O_RDONLY)
	if err != nil {
		return "", fmt.Errorf("%s can't be read: %w", sanitize.Text(path, 300), withoutOp(err))
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, max+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("%s can't be read: %w", sanitize.Text(path, 300), withoutOp(err))
	case int64(len(text)) > max:
		return "", fmt.Errorf("%s is longer than %d bytes", sanitize.Text(path, 300), max)
	}
	return string(text), nil
}

var errNoFile = errors.New("it is no file")

// regular opens a regular file. It opens nothing on which the caller could block, such as a pipe.
func regular(folder *os.Root, within string, how int) (*os.File, error) {
	if info, err := folder.Stat(within); err == nil && !info.Mode().IsRegular() {
		return nil, errNoFile
	}
	file, err := folder.OpenFile(within, how|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		file.Close()
		return nil, errors.Join(err, errNoFile)
	}
	// A link may have been changed since the path was checked.
	at := realPath(filepath.Join(folder.Name(), within))
	is, err := file.Stat()
	now, gone := os.Lstat(at)
	if err = errors.Join(err, gone, protected(at)); err == nil && !os.SameFile(is, now) {
		err = errors.New("it was replaced just now")
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// withoutOp returns an error of a file without the operation, for an agent to read.
func withoutOp(err error) error {
	var path *fs.PathError
	for errors.As(err, &path) {
		what := sanitize.Text(path.Path, 300)
		if escapes(path.Err) {
			return fmt.Errorf("%s is, or lies behind, a link that leads out of the folder, and is not followed", what)
		}
		if err = path.Err; !errors.As(err, new(*fs.PathError)) {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	return err
}

// escapes says whether an [os.Root] was to be left. Its error has no name.
func escapes(err error) bool { return err.Error() == "path escapes from parent" }
