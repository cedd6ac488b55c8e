package machine

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestTree(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("needs /proc")
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
	its, err := Tree(child.Process.Pid)
	if err != nil || its.RSS <= 0 || its.RSS > 100<<20 {
		t.Errorf("a shell takes %+v, %v", its, err)
	}
	alone, err := Status(os.Getpid(), "VmRSS")
	if err != nil || alone < 1<<20 || alone > 4<<30 {
		t.Errorf("this process takes %d bytes, %v", alone, err)
	}
	if both, err := Tree(os.Getpid()); err != nil || both.RSS < its.RSS+1<<20 {
		t.Errorf("both take %+v, %v", both, err)
	}
	if u, err := Tree(1 << 30); err == nil {
		t.Errorf("what isn't there takes %+v", u)
	}
}

// This process's work is on each of its meters.
func TestCPU(t *testing.T) {
	begun, err := Tree(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	own := OwnCPU()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if now, err := Tree(os.Getpid()); err != nil || now.CPU-begun.CPU >= 30*time.Millisecond {
			if err != nil || OwnCPU()-own < 10*time.Millisecond {
				t.Errorf("%+v after %+v, %v; by itself %v", now, begun, err, OwnCPU()-own)
			}
			return
		}
	}
	t.Error("work takes no processor time")
}

func TestQuantile(t *testing.T) {
	for q, want := range map[float64]int{0: 1, 0.5: 3, 0.99: 4, 1: 4} {
		if got := Quantile([]int{4, 1, 3, 2}, q); got != want {
			t.Errorf("quantile %v is %d, want %d", q, got, want)
		}
	}
	if got := Quantile([]float64(nil), 0.5); got != 0 {
		t.Errorf("that of nothing is %v", got)
	}
}
