package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"aqueduck/internal/emulator"
)

// TestTheImageSyncsAndServesReadOnly follows docs/schedule.md with the image of the last commit, over an emulated workspace.
func TestTheImageSyncsAndServesReadOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	built := buildOnDebian(t, releaseParts{[]string{runtime.GOARCH}, true}, dir, "mmdebstrap", "podman", "runc")
	version := strings.Split(filepath.Base(built[0]), "_")[1]
	space := emulator.New(emulator.Config{Seed: 3, Contacts: 60, Inactive: 12, Activities: 90, Conversations: 20,
		Knobs: emulator.Knobs{Export: emulator.ExportKnobs{Pending: -1, Working: -1}}}) // its clock stands still, so jobs must be ready at once
	server := httptest.NewServer(space)
	defer server.Close()
	// Containers of the test share nothing with those of the machine, reach the emulator, and keep the limits of the test itself.
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		requireNoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	env := append(os.Environ(),
		"CONTAINERS_CONF="+write("containers.conf", "[containers]\nnetns = \"host\"\ndefault_ulimits = [\"nofile=1024:1024\", \"nproc=4096:4096\"]\n\n[engine]\nruntime = \"runc\"\n"),
		"CONTAINERS_STORAGE_CONF="+write("storage.conf", fmt.Sprintf("[storage]\ndriver = \"vfs\"\ngraphroot = %q\nrunroot = %q\n", filepath.Join(dir, "images"), filepath.Join(dir, "running"))))
	fill := strings.NewReplacer("VERSION", version, "'https://…'", "'"+server.URL+"'", "'…'", "'"+space.AccessToken()+"'", "sudo ", "", "amd64", runtime.GOARCH)
	run := func(command string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), "sh", "-c", command)
		c.Dir, c.Env = dir, env
		said, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, said)
		}
		return string(said)
	}
	defer run("podman rm --all --force")
	said := map[string]string{}
	for _, command := range commandsBelow(t, "../../docs/schedule.md", "## Run in a container or in Kubernetes") {
		words := strings.Fields(command)
		said[words[len(words)-1]] = run(fill.Replace(command))
		if words[len(words)-1] == "serve" {
			run("timeout 60 podman logs -f aqueduck 2>&1 | grep -m1 msg=waiting")
		}
	}
	if !strings.HasPrefix(said["-q"], "OK nightly ") || !strings.Contains(said["status"], "contacts  ") {
		t.Errorf("the commands say %q", said)
	}
	name := "localhost/aqueduck:" + version
	for command, want := range map[string]string{
		"podman run --rm --entrypoint id " + name + " -un":                                   "aqueduck\n",
		"podman run --rm --read-only --entrypoint sh " + name + " -c 'touch x || echo shut'": "shut\n",
	} {
		if got := run(command); !strings.HasSuffix(got, want) {
			t.Errorf("%s says %q", command, got)
		}
	}
}

// TestAnImageIsNamedByItsSums follows an image of two small layers from its index to the user that its program runs as.
func TestAnImageIsNamedByItsSums(t *testing.T) {
	t.Parallel()
	files := map[string]archiveFile{"bin/aqueduck": {[]byte("program"), 0o755}, "pipelines.example.yaml": {[]byte("version: 1"), 0o644}, "docs/a.md": {[]byte("page"), 0o644}}
	text, err := programLayer(files, time.Unix(0, 0))
	requireNoError(t, err)
	program, err := packLayer(text, "program")
	requireNoError(t, err)
	system, err := packLayer([]byte("system"), "system")
	requireNoError(t, err)
	layout, err := layImage(target{arch: "arm64"}, releaseCommit{version: "2.0.0"}, []imageLayer{system, program})
	requireNoError(t, err)
	type blob struct{ Digest string }
	read := func(b blob, into any) {
		t.Helper()
		held := layout["blobs/sha256/"+strings.TrimPrefix(b.Digest, "sha256:")].text
		if digest(held) != b.Digest {
			t.Errorf("the sum of %s is %s", b.Digest, digest(held))
		}
		requireNoError(t, json.Unmarshal(held, into))
	}
	var index struct{ Manifests []blob }
	var manifest struct {
		Config blob
		Layers []blob
	}
	var config struct {
		Architecture string
		Config       struct{ User, WorkingDir string }
		Rootfs       struct {
			Plain []string `json:"diff_ids"`
		}
	}
	requireNoError(t, json.Unmarshal(layout["index.json"].text, &index))
	read(index.Manifests[0], &manifest)
	read(manifest.Config, &config)
	if got := []string{manifest.Layers[0].Digest, manifest.Layers[1].Digest}; !slices.Equal(got, []string{digest(system.packed), digest(program.packed)}) {
		t.Errorf("its layers are %v", got)
	}
	if config.Architecture != "arm64" || config.Config.User != "1000:1000" || config.Config.WorkingDir != "/srv/aqueduck" || config.Rootfs.Plain[1] != digest(text) {
		t.Errorf("its configuration is %+v", config)
	}
	var names []string
	for archive := tar.NewReader(bytes.NewReader(text)); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		requireNoError(t, err)
		names = append(names, head.Name)
	}
	if want := []string{"srv/aqueduck/", "srv/aqueduck/data/", "srv/aqueduck/pipelines.yaml", "usr/bin/aqueduck"}; !slices.Equal(names, want) {
		t.Errorf("the layer of the program has %v", names)
	}
}

// podSpec has what the Kubernetes API names the parts of a pod that packaging/kubernetes uses. A key that it lacks is an error.
type podSpec struct {
	AutomountServiceAccountToken  *bool
	TerminationGracePeriodSeconds int
	RestartPolicy                 string
	SecurityContext               struct {
		RunAsNonRoot                   bool
		RunAsUser, RunAsGroup, FsGroup int
		SeccompProfile                 struct{ Type string }
	}
	Containers []struct {
		Name, Image     string
		Args            []string
		EnvFrom         []struct{ SecretRef struct{ Name string } }
		Resources       struct{ Requests, Limits map[string]string }
		SecurityContext struct {
			ReadOnlyRootFilesystem   bool
			AllowPrivilegeEscalation *bool
			Capabilities             struct{ Drop []string }
		}
		VolumeMounts []struct {
			Name, MountPath, SubPath string
			ReadOnly                 bool
		}
	}
	Volumes []podVolume
}

type podVolume struct {
	Name                  string
	PersistentVolumeClaim struct{ ClaimName string }
	ConfigMap             struct{ Name string }
	EmptyDir              struct{}
}

type podTemplate struct {
	Metadata struct{ Labels map[string]string }
	Spec     podSpec
}

type workload struct {
	APIVersion, Kind string
	Metadata         struct{ Name string }
	Spec             struct {
		Schedule, ConcurrencyPolicy string
		JobTemplate                 struct {
			Spec struct {
				BackoffLimit int
				Template     podTemplate
			}
		}
		Replicas int
		Strategy struct{ Type string }
		Selector struct{ MatchLabels map[string]string }
		Template podTemplate
	}
}

// TestThePodsFitTheImage reads the files for Kubernetes strictly, and compares users and places with the image.
func TestThePodsFitTheImage(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]string{"cronjob": "batch/v1 CronJob", "deployment": "apps/v1 Deployment"} {
		text, err := os.ReadFile("../../packaging/kubernetes/" + name + ".yaml")
		requireNoError(t, err)
		var made workload
		requireNoError(t, decodeStrictly(text, &made))
		pod := made.Spec.Template.Spec
		if name == "cronjob" {
			pod = made.Spec.JobTemplate.Spec.Template.Spec
		} else if made.Spec.Replicas != 1 || made.Spec.Strategy.Type != "Recreate" || made.Spec.Template.Metadata.Labels["app"] != made.Spec.Selector.MatchLabels["app"] {
			t.Errorf("a warehouse has one writer: %+v", made.Spec)
		}
		if made.APIVersion+" "+made.Kind != kind || len(pod.Containers) != 1 {
			t.Fatalf("%s is a %s %s with %d containers", name, made.APIVersion, made.Kind, len(pod.Containers))
		}
		one, of := pod.Containers[0], pod.SecurityContext
		if !of.RunAsNonRoot || of.RunAsUser != imageUser || of.RunAsGroup != imageUser || of.FsGroup != imageUser || !one.SecurityContext.ReadOnlyRootFilesystem ||
			one.SecurityContext.AllowPrivilegeEscalation == nil || *one.SecurityContext.AllowPrivilegeEscalation || !slices.Equal(one.SecurityContext.Capabilities.Drop, []string{"ALL"}) {
			t.Errorf("%s: %+v, %+v", name, of, one.SecurityContext)
		}
		var places []string
		for _, mount := range one.VolumeMounts {
			places = append(places, mount.MountPath)
			if !slices.ContainsFunc(pod.Volumes, func(v podVolume) bool { return v.Name == mount.Name }) {
				t.Errorf("%s mounts %s, which is no volume", name, mount.Name)
			}
		}
		if want := []string{"/" + imageHome + "/data", "/" + imageHome + "/pipelines.yaml", "/tmp"}; !slices.Equal(places, want) {
			t.Errorf("%s mounts %v, the image has %v", name, places, want)
		}
	}
}

// decodeStrictly reads YAML into a value whose fields are named as in Go: the keys are compared without their case.
func decodeStrictly(text []byte, into any) error {
	var tree any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		return err
	}
	plain, err := json.Marshal(tree)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(plain))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
