package share

import "errors"

// Hold takes what the key names for this process, until release is called or the process ends. If another process has
// it, holder is that process's id, or -1 if the id is unknown.
func Hold(key string) (release func(), holder int, err error) { return hold("", key) }

func hold(dir, key string) (release func(), holder int, err error) {
	p, err := newPlace(dir, key)
	if err != nil {
		return nil, 0, err
	}
	release, err = p.acquire()
	switch {
	case errors.Is(err, errTaken):
		if holder = p.owner(); holder == 0 {
			holder = -1
		}
		return nil, holder, err
	case err != nil:
		return nil, 0, err
	}
	return release, 0, nil
}
