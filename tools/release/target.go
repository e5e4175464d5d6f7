package main

import (
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
)

// releaseTags are the build tags of a release. It has neither mirror nor worker: `make build-mirror` and `make build-worker` make programs that have them.
const releaseTags = "-tags=duckdb_arrow"

// target is an architecture that a release is built for, on this machine's system.
type target struct {
	arch   string   // as Go names it; Debian names these two in the same way
	env    []string // of the Go tool
	runner []string // what a program of this architecture is started with here; nothing for this machine's own
}

// crossTool names the compilers of an architecture and the emulator that runs its programs. Debian has all.
type crossTool struct{ gnu, qemu string }

var crossTools = map[string]crossTool{
	"amd64": {"x86_64-linux-gnu", "qemu-x86_64"},
	"arm64": {"aarch64-linux-gnu", "qemu-aarch64"},
}

// newTarget prepares to build for an architecture. For another one than this machine's it needs the tools of crossTools.
func newTarget(arch string, env []string) (target, error) {
	if arch == runtime.GOARCH {
		return target{arch: arch, env: env}, nil
	}
	tool, known := crossTools[arch]
	if !known || runtime.GOOS != "linux" {
		return target{}, fmt.Errorf("no release for %s can be built on %s/%s: give -arch %[3]s, or use a machine of that kind", arch, runtime.GOOS, runtime.GOARCH)
	}
	for _, name := range []string{tool.gnu + "-gcc", tool.gnu + "-g++", tool.qemu} {
		if _, err := exec.LookPath(name); err != nil {
			return target{}, fmt.Errorf("a release for %s needs %s: on Debian, apt-get install g++-%s qemu-user; or make release ARCH=%s",
				arch, name, strings.ReplaceAll(tool.gnu, "_", "-"), runtime.GOARCH)
		}
	}
	env = append(slices.Clone(env), "CGO_ENABLED=1", "GOARCH="+arch, "CC="+tool.gnu+"-gcc", "CXX="+tool.gnu+"-g++")
	return target{arch: arch, env: env, runner: []string{tool.qemu, "-L", "/usr/" + tool.gnu}}, nil
}

// command returns the command line that starts a program of this architecture.
func (t target) command(program string, args ...string) []string {
	return slices.Concat(t.runner, []string{program}, args)
}
