package release

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// cyclonedx is the tool that lists the modules of a program, as CycloneDX.
const cyclonedx = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.9.0"

// makeSBOMs writes the software bill of materials of each program, from what Go's linker has put into it.
func (r release) makeSBOMs(name string, built []program) error {
	for _, p := range built {
		tool := exec.Command("go", "run", cyclonedx, "bin", "-json", "-noserial", "-version", "v"+r.version, p.path)
		tool.Stderr = os.Stderr
		out, err := tool.Output()
		if err != nil {
			return fmt.Errorf("the SBOM of %s: %w", p.path, err)
		}
		var bom map[string]any
		if err := json.Unmarshal(out, &bom); err != nil {
			return fmt.Errorf("the SBOM of %s: %w", p.path, err)
		}
		// So that it is the same, whenever and wherever it is made.
		about, _ := bom["metadata"].(map[string]any)
		about["timestamp"] = r.time.Format(time.RFC3339)
		delete(about, "tools")
		if err := r.write(fmt.Sprintf("%s_%s_%s_%s.cdx.json", name, r.version, p.goos, p.goarch), encode(bom)); err != nil {
			return err
		}
	}
	return nil
}
