package results

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"webmcphub/registry"
)

func imageBlock(t *testing.T, format string, w, h int) string {
	t.Helper()
	var b bytes.Buffer
	var err error
	img := image.NewGray(image.Rect(0, 0, w, h))
	switch format {
	case "png":
		err = png.Encode(&b, img)
	case "jpeg":
		err = jpeg.Encode(&b, img, nil)
	case "gif":
		err = gif.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return `{"type":"image","mimeType":"image/` + format + `","data":"` + base64.StdEncoding.EncodeToString(b.Bytes()) + `","annotations":{"priority":1}}`
}

func TestFitImages(t *testing.T) {
	for _, c := range []struct {
		name, block string
		w, h        int
		mime        string
	}{
		{"a small one stays", imageBlock(t, "png", 20, 10), 20, 10, "image/png"},
		{"just as large as allowed", imageBlock(t, "png", 2000, 10), 2000, 10, "image/png"},
		{"wide", imageBlock(t, "png", 4000, 100), 2000, 50, "image/png"},
		{"high", imageBlock(t, "jpeg", 30, 3000), 20, 2000, "image/jpeg"},
		{"so thin that a side would vanish", imageBlock(t, "png", 5000, 1), 2000, 1, "image/png"},
		{"a GIF becomes a PNG", imageBlock(t, "gif", 2500, 250), 2000, 200, "image/png"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := FitImages(t.Context(), registry.Result{JSON: json.RawMessage(`{"content":[{"type":"text","text":"here"},` + c.block + `],"structuredContent":{"a":1}}`)})
			var got struct {
				Content []struct {
					Type, Text, MIMEType string
					Data                 []byte
					Annotations          map[string]any
				}
				StructuredContent map[string]any
			}
			if err := json.Unmarshal(r.JSON, &got); err != nil {
				t.Fatal(err)
			}
			pic := got.Content[1]
			size, _, err := image.DecodeConfig(bytes.NewReader(pic.Data))
			if err != nil {
				t.Fatal(err)
			}
			if size.Width != c.w || size.Height != c.h || pic.MIMEType != c.mime {
				t.Errorf("got %d × %d as %s", size.Width, size.Height, pic.MIMEType)
			}
			if got.Content[0].Text != "here" || pic.Annotations["priority"] != 1.0 || got.StructuredContent["a"] != 1.0 {
				t.Errorf("what stands around the image changed: %.300s", r.JSON)
			}
		})
	}
}

func TestFitImagesLeavesOutBombs(t *testing.T) {
	// A header alone says 100,000 × 100,000 pixels.
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	bomb := b.Bytes()
	copy(bomb[16:24], []byte{0, 1, 0x86, 0xA0, 0, 1, 0x86, 0xA0})
	crc := crcOf(bomb[12:29])
	copy(bomb[29:33], crc)
	r := FitImages(t.Context(), registry.Result{JSON: json.RawMessage(`{"content":[{"type":"image","mimeType":"image/png","data":"` + base64.StdEncoding.EncodeToString(bomb) + `"}]}`)})
	if !strings.Contains(string(r.JSON), "100000 × 100000 pixels was left out") {
		t.Errorf("got %s", r.JSON)
	}
}

func TestFitImagesPassesOnWhatItCannotRead(t *testing.T) {
	for _, raw := range []string{
		`{"content":[{"type":"image","mimeType":"image/avif","data":"AAAA"}]}`,
		`{"content":[{"type":"text","text":"\"image\""}]}`,
		`{"content":"image"}`,
	} {
		if r := FitImages(t.Context(), registry.Result{JSON: json.RawMessage(raw)}); string(r.JSON) != raw {
			t.Errorf("%s became %s", raw, r.JSON)
		}
	}
}

func crcOf(chunk []byte) []byte {
	return binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk))
}

var errCancelled = errors.New("the client cancelled the call")

// What images cost is bounded for the whole result, and by the call's time.
func TestImagesAreBoundedInAll(t *testing.T) {
	block := imageBlock(t, "png", 2001, 10)
	room := int64(30_000)
	if fit := fitBlock(t.Context(), json.RawMessage(block), &room); !strings.Contains(string(fit), `"image"`) || room != 30_000-20_010 { // gray: a byte each
		t.Errorf("%d bytes are left, and the first image becomes %.300s", room, fit)
	}
	if fit := string(fitBlock(t.Context(), json.RawMessage(block), &room)); !strings.Contains(fit, "2001 × 10 pixels was left out: with the images before it") {
		t.Errorf("the second becomes %.300s", fit)
	}
	r := registry.Result{JSON: json.RawMessage(`{"content":[` + block + `,` + block + `]}`)}
	over, cancel := context.WithCancelCause(t.Context())
	cancel(errCancelled)
	if got := string(FitImages(over, r).JSON); strings.Count(got, "the client cancelled the call") != 2 || strings.Contains(got, `"image"`) {
		t.Errorf("got %.300s", got)
	}

	// While others are being scaled it waits, as long as its call.
	for range maxScaling {
		scaling <- struct{}{}
	}
	defer func() {
		for range maxScaling {
			<-scaling
		}
	}()
	if _, _, err := scale(over, nil, "png"); !errors.Is(err, errCancelled) {
		t.Errorf("it ended by %v", err)
	}
}

// A decoder stops within an image when its time is over.
func TestDecodersStop(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	r := untilDone{ctx, strings.NewReader("abcd")}
	if n, err := r.Read(make([]byte, 2)); n != 2 || err != nil {
		t.Errorf("read %d, %v", n, err)
	}
	cancel(errCancelled)
	if n, err := r.Read(make([]byte, 2)); n != 0 || !errors.Is(err, errCancelled) {
		t.Errorf("read %d, %v", n, err)
	}
}
