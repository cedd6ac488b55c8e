package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// file is the log's file with its rotation: FILE, then FILE.1 and so on for older ones. It belongs to one goroutine.
type file struct {
	path    string
	max     int64 // bytes
	backups int
	f       *os.File
	size    int64 // before the next write
	torn    bool  // the file's last line is incomplete
	opened  bool  // it has been opened before
}

func (w *file) open() error {
	f, err := os.OpenFile(w.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		err = f.Chmod(0o600)
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	w.f, w.size = f, info.Size()
	if !w.opened {
		w.torn = endsWithinLine(w.path, info)
		w.opened = true
	}
	return nil
}

// endsWithinLine reports whether an earlier process died in the middle of a line. It is called once, at the start,
// because later another process may be writing.
func endsWithinLine(path string, info fs.FileInfo) bool {
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false // it may be written but not read
	}
	defer func() { _ = f.Close() }()
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return err == nil && last[0] != '\n'
}

// write appends whole lines. After an error the file is opened again at the
// next write.
func (w *file) write(lines []byte) error {
	err := w.ready(int64(len(lines)))
	if err != nil {
		return err
	}
	if w.torn && w.size > 0 { // it is no new file
		lines = append([]byte("\n"), lines...)
	}
	n, err := w.f.Write(lines)
	if n > 0 {
		w.torn = lines[n-1] != '\n'
	}
	if err != nil {
		return errors.Join(err, w.close())
	}
	return nil
}

// ready opens the file if needed, and makes room in it.
func (w *file) ready(room int64) error {
	if w.f != nil && w.replaced() {
		if err := w.close(); err != nil {
			return err
		}
	}
	if w.f == nil {
		if err := w.open(); err != nil {
			return err
		}
	}
	if w.size == 0 || w.size+room <= w.max || !w.regular() {
		return nil
	}
	if err := w.close(); err != nil {
		return err
	}
	if err := w.rotate(); err != nil {
		return fmt.Errorf("it can't be rotated: %w", err)
	}
	return w.open()
}

// replaced reports whether another process has rotated the file, or somebody has removed it.
func (w *file) replaced() bool {
	ours, err := w.f.Stat()
	if err != nil {
		return true
	}
	there, err := os.Stat(w.path)
	if err == nil && os.SameFile(ours, there) {
		w.size = there.Size() // another process may have written, too
		return false
	}
	return true
}

func (w *file) regular() bool {
	info, err := w.f.Stat()
	return err == nil && info.Mode().IsRegular()
}

func (w *file) rotate() error {
	name := func(i int) string {
		if i == 0 {
			return w.path
		}
		return fmt.Sprintf("%s.%d", w.path, i)
	}
	if w.backups == 0 {
		return os.Remove(w.path)
	}
	for i := w.backups; i > 0; i-- {
		if err := os.Rename(name(i-1), name(i)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (w *file) close() error {
	if w.f == nil {
		return nil
	}
	f := w.f
	w.f = nil
	return f.Close()
}
