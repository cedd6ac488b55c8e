package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"webmcphub/internal/settings"
)

// File is the file of --tenants, and what was in its last good version.
type TenantsFile struct {
	path   string
	log    *slog.Logger
	all    []Tenant
	stamps map[string]settings.Stamp // of all files that matter, from before they were read
}

// Open reads the file. A mistake in it is an error.
func OpenTenants(path string, log *slog.Logger) (*TenantsFile, error) {
	f := &TenantsFile{path: path, log: log}
	if err := f.read(); err != nil {
		return nil, err
	}
	return f, nil
}

// Tenants are those of the last good version. Nobody changes them. It is for who calls Open, before
// [File.Follow].
func (f *TenantsFile) Tenants() []Tenant { return f.all }

// read takes the file as it is now, if it is good. Stamps are from before a file is read; so where one is
// named that wasn't before, all is read again.
func (f *TenantsFile) read() error {
	stamps := map[string]settings.Stamp{f.path: settings.StampOf(f.path)}
	for file := range f.stamps {
		stamps[file] = settings.StampOf(file)
	}
	all, files, err := readTenants(f.path)
	for again := true; again; {
		again = false
		for _, file := range files {
			if _, known := stamps[file]; !known {
				stamps[file], again = settings.StampOf(file), true
			}
		}
		if again {
			all, files, err = readTenants(f.path)
		}
	}
	if err == nil {
		maps.DeleteFunc(stamps, func(file string, _ settings.Stamp) bool { return !slices.Contains(files, file) })
		f.all = all
	} else {
		err = fmt.Errorf("--tenants %s: %w", f.path, err)
	}
	f.stamps = stamps
	return err
}

// Follow calls set with the tenants of each good version that the file has from now on, until ctx
// ends: also when a file changes that it names. Others are logged, and nothing changes by them.
func (f *TenantsFile) Follow(ctx context.Context, set func([]Tenant)) {
	for f.changed(ctx) {
		if err := f.read(); err != nil {
			f.log.Error("the tenants stay as they were: the file has a mistake", "err", err)
			continue
		}
		f.log.Info("the file of tenants has changed", "tenants", len(f.all))
		set(f.all)
	}
}

// changed waits until one of the files has changed; false once ctx has ended.
func (f *TenantsFile) changed(ctx context.Context) bool {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	for file, was := range f.stamps {
		all.Go(func() { settings.WatchFile(watching, file, was, stop) })
	}
	all.Wait()
	return ctx.Err() == nil
}
