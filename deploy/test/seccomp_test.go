package deploytest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/moby/profiles/seccomp"
	"github.com/opencontainers/runtime-spec/specs-go"
)

var update = flag.Bool("update", false, "write the files that are made by tests")

// Chromium's own sandbox needs these, which containers may not call by default: it puts each
// renderer into a user namespace, from where it can see neither files, processes nor the network.
var forChromium = []string{"chroot", "clone", "setns", "unshare"}

const seccompFile = "../chromium-seccomp.json"

// TestSeccompProfile: the profile for nodes is Docker's default one for a container without
// capabilities, and what Chromium's sandbox needs besides. It is written as the OCI says, so Docker,
// containerd and CRI-O all read it.
func TestSeccompProfile(t *testing.T) {
	var made bytes.Buffer
	out := json.NewEncoder(&made)
	out.SetIndent("", " ")
	if err := out.Encode(chromiumProfile()); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(seccompFile, made.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(seccompFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, made.Bytes()) {
		t.Errorf("%s isn't what is made of Docker's profile; go -C deploy/test test -run TestSeccompProfile -update writes it", seccompFile)
	}
	resolved, err := seccomp.LoadProfile(string(have), &specs.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range append(forChromium, "read", "futex") {
		if !slices.ContainsFunc(resolved.Syscalls, func(s specs.LinuxSyscall) bool {
			return s.Action == specs.ActAllow && len(s.Args) == 0 && slices.Contains(s.Names, call)
		}) {
			t.Errorf("%s isn't allowed", call)
		}
	}
	for _, call := range []string{"mount", "bpf", "init_module", "kexec_load", "keyctl"} {
		if slices.ContainsFunc(resolved.Syscalls, func(s specs.LinuxSyscall) bool {
			return s.Action == specs.ActAllow && slices.Contains(s.Names, call)
		}) {
			t.Errorf("%s is allowed", call)
		}
	}
}

// chromiumProfile is Docker's default profile with its conditions resolved: for a container
// without capabilities, on amd64 and arm64, on any kernel that is still looked after.
func chromiumProfile() *specs.LinuxSeccomp {
	all := seccomp.DefaultProfile()
	p := &specs.LinuxSeccomp{
		DefaultAction:   all.DefaultAction,
		DefaultErrnoRet: all.DefaultErrnoRet,
		Architectures:   []specs.Arch{specs.ArchX86_64, specs.ArchX86, specs.ArchX32, specs.ArchAARCH64, specs.ArchARM},
	}
	ours := []string{"amd64", "x86", "x32", "arm64", "arm"}
	for _, s := range all.Syscalls {
		foreign := func(a string) bool { return !slices.Contains(ours, a) }
		if s.Includes != nil && (len(s.Includes.Caps) > 0 || len(s.Includes.Arches) > 0 && !slices.ContainsFunc(s.Includes.Arches, func(a string) bool { return !foreign(a) })) {
			continue
		}
		rule := s.LinuxSyscall
		if rule.Action == specs.ActAllow { // no condition on what Chromium may call in any case
			rule.Names = slices.DeleteFunc(slices.Clone(rule.Names), func(n string) bool { return slices.Contains(forChromium, n) })
		}
		if len(rule.Names) > 0 {
			p.Syscalls = append(p.Syscalls, rule)
		}
	}
	p.Syscalls = append(p.Syscalls, specs.LinuxSyscall{Names: forChromium, Action: specs.ActAllow})
	return p
}
