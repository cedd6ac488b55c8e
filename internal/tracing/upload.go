package tracing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// maxExport is how long one export may take.
const maxExport = 10 * time.Second

// upload sends exports over OTLP/HTTP; it is an otlptrace.Client. One goroutine exports at a time. Spans that can't
// be delivered are lost, which is logged once until an export succeeds again.
type upload struct {
	ctx     context.Context // ends everything
	at      *url.URL
	header  func() (http.Header, error)
	client  *http.Client
	log     *slog.Logger
	failing bool
}

func newUpload(ctx context.Context, at *url.URL, o Options) *upload {
	header := o.Header
	if header == nil {
		header = func() (http.Header, error) { return nil, nil }
	}
	return &upload{ctx: ctx, at: at, header: header, log: o.Log, client: &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}, // an export every few seconds needs no open connection
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Start implements otlptrace.Client.
func (u *upload) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (u *upload) Stop(context.Context) error { return nil }

// UploadTraces implements otlptrace.Client. It returns no error, because the SDK would print it.
func (u *upload) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	err := u.send(ctx, spans)
	switch {
	case err != nil && !u.failing:
		u.log.Warn("spans can't be delivered and are lost; this is said once until they can", "collector", u.at.Scheme+
			"://"+u.at.Host, "err", err)
	case err == nil && u.failing:
		u.log.Info("spans are delivered again", "collector", u.at.Scheme+"://"+u.at.Host)
	}
	u.failing = err != nil
	return nil
}

func (u *upload) send(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	// TracesData has the encoding of ExportTraceServiceRequest, whose package depends on gRPC.
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(u.ctx, cancel)()
	to := *u.at
	to.User = nil
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return errors.New("the collector's address can't be asked")
	}
	header, err := u.header()
	if err != nil {
		return err
	}
	if header != nil {
		r.Header = header.Clone()
	}
	if user := u.at.User; user != nil && r.Header.Get("Authorization") == "" {
		password, _ := user.Password()
		r.SetBasicAuth(user.Username(), password)
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	answer, err := u.client.Do(r)
	if err != nil {
		if with, ok := errors.AsType[*url.Error](err); ok { // with contains the address
			err = with.Err
		}
		return err
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, 64<<10)
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fmt.Errorf("the collector answers %s", answer.Status)
	}
	return nil
}
