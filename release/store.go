package release

import (
	"fmt"

	"webmcphub/extension"
)

// makeStoreZip writes the extension as the Chrome Web Store takes it: a zip without the manifest's key.
func (r release) makeStoreZip() error {
	names, err := extension.Names()
	if err != nil {
		return err
	}
	edition := extension.Edition{Version: r.version, Store: true}
	var files []file
	for _, name := range names {
		content, err := edition.Read(name)
		if err != nil {
			return err
		}
		files = append(files, file{name: name, content: content})
	}
	zip, err := r.zipped(r.withLicense(files...))
	if err != nil {
		return err
	}
	return r.write(fmt.Sprintf("webmcp-hub_%s-chrome-extension.zip", r.version), zip)
}
