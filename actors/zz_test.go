package actors
import ("testing";"testing/synctest";"fmt";"log/slog")
func TestZZ(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			w := newSlow()
			p := h.offer(w.tool("wait"))
			h.want("shop_test_page0_wait")
			c := h.begin("shop_test_page0_wait", `{}`)
			h.inActor(p, func(*pageActor) { panic("a test's panic") })
			synctest.Wait()
			h.quiet()
			for _, r := range h.log.records { fmt.Println(r.Level, r.Message); if r.Level > 4 { r.Attrs(func(a slog.Attr) bool { fmt.Println("   ", a.Key, a.Value); return true}) } }
			fmt.Println(c.done(), h.tools())
			fmt.Println(h.chrome.Commands())
		})
}
