package server

import (
	"os"
	"os/exec"
	"slices"
	"testing"
)

func TestMemoryOfAllProcesses(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("needs /proc")
	}
	alone, err := Memory(os.Getpid())
	if err != nil || alone < 1 || alone > 4096 {
		t.Fatalf("%v MiB, %v", alone, err)
	}
	child := exec.Command("sh", "-c", "echo; read x")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Wait()
	defer in.Close()
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	children, err := childrenOf()
	if err != nil || !slices.Contains(children[os.Getpid()], child.Process.Pid) {
		t.Errorf("the children are %v, without %d (%v)", children[os.Getpid()], child.Process.Pid, err)
	}
	its, err := Memory(child.Process.Pid)
	if err != nil || its <= 0 || its > 100 {
		t.Errorf("a shell has %v MiB, %v", its, err)
	}
	if both, err := Memory(os.Getpid()); err != nil || both < its+1 {
		t.Errorf("both have %v MiB, %v", both, err)
	}
}
