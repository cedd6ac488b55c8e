package automation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"webmcphub/registry/sanitize"
)

// folders are those in which the client lets files be read and written: its roots, and
// the folder for temporary files.
func (r *Request) folders(ctx context.Context) []string {
	var folders []string
	if r.Roots != nil {
		roots, err := r.Roots(ctx)
		if err != nil {
			r.service.log.Debug("the client tells no roots", "client", r.Name, "err", err)
		}
		for _, root := range roots {
			if u, err := url.Parse(root); err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") {
				folders = append(folders, filepath.FromSlash(u.Path))
			}
		}
	}
	return append(folders, os.TempDir())
}

// inFolder opens the folder that a path lies in, and says where in it. A link that
// leads out of the folder is no way out of it: [os.Root] follows none.
func (r *Request) inFolder(ctx context.Context, path string) (folder *os.Root, within string, err error) {
	folders := r.folders(ctx)
	if !filepath.IsAbs(path) {
		path = filepath.Join(folders[0], path)
	}
	path = filepath.Clean(path)
	for _, f := range folders {
		within, err := filepath.Rel(f, path)
		if err != nil || !filepath.IsLocal(within) {
			// The folder may be known by another name than the path uses.
			if real, e := filepath.EvalSymlinks(f); e == nil {
				within, err = filepath.Rel(real, path)
			}
		}
		if err != nil || !filepath.IsLocal(within) {
			continue
		}
		root, err := os.OpenRoot(f)
		if err != nil {
			continue
		}
		return root, within, nil
	}
	return nil, "", fmt.Errorf("%s lies outside the folders that may be used: %s. Name a file in one of these, or have your client declare its workspace as a root",
		sanitize.Text(path, 300), strings.Join(folders, ", "))
}

// save writes a file of the agent's, giving it the extension that goes with its
// content, and returns its path. A file that is there is replaced, a link is not
// followed out of its folder, and nobody else may read the file.
func (r *Request) save(ctx context.Context, path, extension string, write func(io.Writer) error) (saved string, err error) {
	if have := filepath.Ext(path); have != extension && !strings.HasSuffix(path, extension) {
		path += extension
	}
	folder, within, err := r.inFolder(ctx, path)
	if err != nil {
		return "", err
	}
	defer folder.Close()
	if dir := filepath.Dir(within); dir != "." {
		if err := folder.MkdirAll(dir, 0o700); err != nil {
			return "", fmt.Errorf("the file was not saved: %w", said(err))
		}
	}
	file, err := folder.OpenFile(within, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return "", fmt.Errorf("the file was not saved: %w", said(err))
	}
	err = write(file)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return "", fmt.Errorf("the file was not saved whole: %w", said(err))
	}
	return filepath.Join(folder.Name(), within), nil
}

// saveText is save of a text.
func (r *Request) saveText(ctx context.Context, path, extension, text string) (string, error) {
	return r.save(ctx, path, extension, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}

// readable checks that files of the agent's may be read, and gives their paths with
// all links followed, as the browser will open them.
func (r *Request) readable(ctx context.Context, paths []string) (real []string, err error) {
	for _, path := range paths {
		folder, within, err := r.inFolder(ctx, path)
		if err != nil {
			return nil, err
		}
		info, err := folder.Stat(within)
		folder.Close()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("there is no file %s", sanitize.Text(path, 300))
		case err != nil:
			return nil, fmt.Errorf("%s can't be used: %w", sanitize.Text(path, 300), said(err))
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s is no file", sanitize.Text(path, 300))
		}
		at, err := filepath.EvalSymlinks(filepath.Join(folder.Name(), within))
		if err != nil {
			return nil, fmt.Errorf("%s can't be used: %w", sanitize.Text(path, 300), said(err))
		}
		real = append(real, at)
	}
	return real, nil
}

// readText reads a file of the agent's of at most max bytes.
func (r *Request) readText(ctx context.Context, path string, max int64) (string, error) {
	folder, within, err := r.inFolder(ctx, path)
	if err != nil {
		return "", err
	}
	defer folder.Close()
	file, err := folder.Open(within)
	if err != nil {
		return "", fmt.Errorf("%s can't be read: %w", sanitize.Text(path, 300), said(err))
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, max+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("%s can't be read: %w", sanitize.Text(path, 300), said(err))
	case int64(len(text)) > max:
		return "", fmt.Errorf("%s is longer than %d bytes", sanitize.Text(path, 300), max)
	}
	return string(text), nil
}

// said is an error of a file without the operation, for an agent to read.
func said(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("%s: %w", sanitize.Text(path.Path, 300), path.Err)
	}
	return err
}
