package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"webmcphub/cluster/gateway"
	"webmcphub/internal/settings"
)

// TenantsFile is the file of --tenants, with the content of its last valid version.
type TenantsFile struct {
	path   string
	log    *slog.Logger
	all    []gateway.Tenant
	stamps map[string]settings.Stamp // of the file and of all files that it names, taken before reading them
}

// OpenTenants reads the file. It returns an error if the file has a mistake.
func OpenTenants(path string, log *slog.Logger) (*TenantsFile, error) {
	f := &TenantsFile{path: path, log: log}
	if err := f.read(); err != nil {
		return nil, err
	}
	return f, nil
}

// Tenants returns the tenants of the last valid version, or nil if there is no file. They must not be modified. Only
// the caller of OpenTenants may call it, before [TenantsFile.Follow].
func (f *TenantsFile) Tenants() []gateway.Tenant {
	if f == nil {
		return nil
	}
	return f.all
}

// read reads the current version of the file, and keeps it if it is valid. Stamps must be older than the content, so
// read starts again if the file names a new file.
func (f *TenantsFile) read() error {
	var all []gateway.Tenant
	var err error
	stamps, files := map[string]settings.Stamp{}, append(slices.Collect(maps.Keys(f.stamps)), f.path)
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

// Follow calls set with the tenants of each new valid version, until ctx ends. A version is also new if a file that
// it names changes. Invalid versions are logged and change nothing.
func (f *TenantsFile) Follow(ctx context.Context, set func([]gateway.Tenant)) {
	for f.changed(ctx) {
		if err := f.read(); err != nil {
			f.log.Error("the file of tenants has a mistake, so the tenants stay as they were", "err", err)
			continue
		}
		f.log.Info("the file of tenants has changed", "tenants", len(f.all))
		set(f.all)
	}
}

// changed waits until one of the files has changed; it returns false once ctx has ended.
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
