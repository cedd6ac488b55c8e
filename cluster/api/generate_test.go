package api

import (
	"bytes"
	"os/exec"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"webmcphub/internal/scripttest"
)

// TestGenerated: the generated files are what the plugins make from node.proto; with -update it writes them. It
// compiles node.proto itself, because building buf takes two minutes of a processor, and protoc isn't on every machine.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds protoc's plugins")
	}
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{}),
		SourceInfoMode: protocompile.SourceInfoStandard, // with the comments, which the plugins copy
	}
	files, err := compiler.Compile(t.Context(), "node.proto")
	if err != nil {
		t.Fatal(err)
	}
	request, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{"node.proto"},
		Parameter:      proto.String("paths=source_relative"),
		ProtoFile:      []*descriptorpb.FileDescriptorProto{protodesc.ToFileDescriptorProto(files[0])},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, plugin := range []string{
		"google.golang.org/protobuf/cmd/protoc-gen-go",
		"google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2",
	} {
		run := exec.CommandContext(t.Context(), "go", "run", plugin)
		var errs bytes.Buffer
		run.Stdin, run.Stderr = bytes.NewReader(request), &errs
		out, err := run.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", plugin, err, &errs)
		}
		var response pluginpb.CodeGeneratorResponse
		if err := proto.Unmarshal(out, &response); err != nil || response.Error != nil || len(response.File) == 0 {
			t.Fatalf("%s: %v %s", plugin, err, response.GetError())
		}
		for _, f := range response.File {
			scripttest.Document(t, f.GetName(), []byte(f.GetContent()))
		}
	}
}
