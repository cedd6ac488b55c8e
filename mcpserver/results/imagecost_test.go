package results

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"
)

// TestDecodingCost: the estimate is of what the file says it is, not of its
// pixels alone.
func TestDecodingCost(t *testing.T) {
	box := image.Rect(0, 0, 40, 10) // 400 pixels
	encoded := func(format string, img image.Image) []byte {
		var b bytes.Buffer
		var err error
		if format == "png" {
			err = png.Encode(&b, img)
		} else {
			err = jpeg.Encode(&b, img, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	deep := image.NewNRGBA64(box)
	deep.SetNRGBA64(1, 1, color.NRGBA64{1, 2, 3, 4})
	photo := encoded("jpeg", image.NewRGBA(box))
	inScans := bytes.Clone(photo)
	if i := bytes.Index(inScans, []byte{0xFF, 0xC0}); i < 0 {
		t.Fatal("no frame in the JPEG")
	} else {
		inScans[i+1] = 0xC2
	}
	woven := encoded("png", image.NewGray(box))
	woven[28] = 1
	for _, c := range []struct {
		name, format string
		raw          []byte
		want         int64
	}{
		{"gray PNG", "png", encoded("png", image.NewGray(box)), 400},
		{"gray PNG of 16 bits", "png", encoded("png", image.NewGray16(box)), 800},
		{"PNG with a palette", "png", encoded("png", image.NewPaletted(box, color.Palette{color.Black, color.White})), 400},
		{"PNG of 16 bits", "png", encoded("png", deep), 3200},
		{"JPEG", "jpeg", photo, 1200},
		{"progressive JPEG", "jpeg", inScans, 6000},
		{"gray JPEG", "jpeg", encoded("jpeg", image.NewGray(box)), 400},
	} {
		size, format, err := image.DecodeConfig(bytes.NewReader(c.raw))
		if err != nil || format != c.format {
			t.Fatalf("%s: %s, %v", c.name, format, err)
		}
		if got := decodingCost(size, format, c.raw); got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.name, got, c.want)
		}
	}
	gray := image.Config{ColorModel: color.GrayModel, Width: 40, Height: 10}
	if got := decodingCost(gray, "png", woven); got != 800 {
		t.Errorf("interlaced PNG: %d bytes", got)
	}
	if got := decodingCost(image.Config{ColorModel: color.NRGBA64Model, Width: 1<<31 - 1, Height: 1<<31 - 1}, "png", nil); got <= maxDecoded {
		t.Errorf("the largest PNG: %d bytes", got)
	}
}

// Images that had room by their pixels are left out by what decoding them takes.
func TestImagesThatTakeTooMuchMemory(t *testing.T) {
	for _, c := range []struct {
		model  color.Model
		format string
		raw    []byte
		fits   bool
	}{
		{color.NRGBAModel, "png", nil, true},
		{color.NRGBA64Model, "png", nil, false},
		{color.YCbCrModel, "jpeg", []byte{0xFF, 0xD8, 0xFF, 0xC0, 0, 17}, true},
		{color.YCbCrModel, "jpeg", []byte{0xFF, 0xD8, 0xFF, 0xC2, 0, 17}, false},
	} {
		size := image.Config{ColorModel: c.model, Width: 8000, Height: 8000}
		if cost := decodingCost(size, c.format, c.raw); cost <= maxDecoded != c.fits {
			t.Errorf("64 million pixels as %s take %d bytes", c.format, cost)
		}
	}
}
