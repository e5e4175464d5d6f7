package main

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// imageUser is the user of the image, and the owner of its working directory imageHome.
const imageUser, imageHome = 1000, "srv/aqueduck"

// rootFlags make a Debian system without package lists, manuals and devices. It has a shell, for the commands of after.
var rootFlags = []string{"--quiet", "--variant=essential", "--include=ca-certificates,libstdc++6", "--skip=output/dev",
	"--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-include=/usr/share/doc/*/copyright", "--dpkgopt=path-exclude=/usr/share/man/*",
	"--dpkgopt=path-exclude=/usr/share/info/*", "--dpkgopt=path-exclude=/usr/share/locale/*",
	"--customize-hook=echo aqueduck:x:1000:1000::/srv/aqueduck:/bin/sh >>$1/etc/passwd", "--customize-hook=echo aqueduck:x:1000: >>$1/etc/group"}

// imageLayer is a layer of an image: packed, with the sum of its archive before packing.
type imageLayer struct {
	packed []byte
	plain  string
	made   string // what made it
}

// writeImage writes an OCI image, as a tar archive of its layout: a minimal Debian 12 and the program. No registry takes part.
func writeImage(ctx context.Context, path string, t target, c releaseCommit, files map[string]archiveFile) error {
	if len(t.runner) > 0 {
		return fmt.Errorf("an image for %s is built on a machine of that architecture: packages configure themselves in it", t.arch)
	}
	env := append(os.Environ(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(c.time.Unix(), 10))
	root, err := runCommand(ctx, ".", env, "mmdebstrap", append(slices.Clone(rootFlags), "bookworm", "-")...)
	if err != nil {
		return fmt.Errorf("make the root of the image: on Debian, apt-get install mmdebstrap: %w", err)
	}
	system, err := packLayer([]byte(root), "mmdebstrap bookworm")
	if err != nil {
		return err
	}
	text, err := programLayer(files, c.time)
	if err != nil {
		return err
	}
	program, err := packLayer(text, "aqueduck "+c.version)
	if err != nil {
		return err
	}
	layout, err := layImage(t, c, []imageLayer{system, program})
	if err != nil {
		return err
	}
	var image bytes.Buffer
	if err := writeTar(&image, "", layout, c.time); err != nil {
		return err
	}
	return os.WriteFile(path, image.Bytes(), 0o644)
}

func packLayer(plain []byte, made string) (imageLayer, error) {
	packed, err := compressText(plain)
	return imageLayer{packed: packed, plain: digest(plain), made: made}, err
}

// programLayer makes the layer with the program and its licences, and with the working directory of its user: an example configuration, which
// a mounted one replaces, and a place for the warehouse.
func programLayer(files map[string]archiveFile, at time.Time) ([]byte, error) {
	placed := map[string]archiveFile{}
	for name, file := range files {
		switch {
		case name == "bin/aqueduck":
			placed["usr/"+name] = file
		case name == "pipelines.example.yaml":
			placed[imageHome+"/pipelines.yaml"] = file
		case name == "LICENSE", strings.HasPrefix(name, "licences/"):
			placed["usr/share/doc/aqueduck/"+name] = file
		}
	}
	var layer bytes.Buffer
	archive := tar.NewWriter(&layer)
	for _, dir := range []string{imageHome + "/", imageHome + "/data/"} {
		head := &tar.Header{Typeflag: tar.TypeDir, Name: dir, Uid: imageUser, Gid: imageUser, Mode: 0o755, ModTime: at, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(head); err != nil {
			return nil, err
		}
	}
	if err := archive.Flush(); err != nil {
		return nil, err
	}
	err := writeTar(&layer, "", placed, at)
	return layer.Bytes(), err
}

// layImage returns the files of an image by their paths in the layout of the Open Container Initiative.
func layImage(t target, c releaseCommit, layers []imageLayer) (map[string]archiveFile, error) {
	layout := map[string]archiveFile{"oci-layout": {[]byte(`{"imageLayoutVersion":"1.0.0"}`), 0o644}}
	type object map[string]any
	blob := func(kind string, text []byte) object {
		sum := digest(text)
		layout["blobs/sha256/"+strings.TrimPrefix(sum, "sha256:")] = archiveFile{text, 0o644}
		return object{"mediaType": "application/vnd.oci.image." + kind, "digest": sum, "size": len(text)}
	}
	var packed, history []object
	var plain []string
	for _, layer := range layers {
		packed = append(packed, blob("layer.v1.tar+gzip", layer.packed))
		plain = append(plain, layer.plain)
		history = append(history, object{"created": c.time, "created_by": layer.made})
	}
	user := fmt.Sprintf("%d:%d", imageUser, imageUser)
	config, err := json.Marshal(object{
		"created": c.time, "architecture": t.arch, "os": "linux", "history": history,
		"rootfs": object{"type": "layers", "diff_ids": plain},
		"config": object{
			"User": user, "WorkingDir": "/" + imageHome, "Entrypoint": []string{"/usr/bin/aqueduck"}, "Cmd": []string{"serve"},
			"Env":    []string{"PATH=/usr/local/bin:/usr/bin:/bin"},
			"Labels": object{"org.opencontainers.image.title": "aqueduck", "org.opencontainers.image.version": c.version, "org.opencontainers.image.revision": c.id},
		},
	})
	if err != nil {
		return nil, err
	}
	manifest, err := json.Marshal(object{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
		"config": blob("config.v1+json", config), "layers": packed})
	if err != nil {
		return nil, err
	}
	head := blob("manifest.v1+json", manifest)
	head["annotations"] = object{"org.opencontainers.image.ref.name": "localhost/aqueduck:" + c.version}
	index, err := json.Marshal(object{"schemaVersion": 2, "manifests": []object{head}})
	layout["index.json"] = archiveFile{index, 0o644}
	return layout, err
}

// digest returns the sum of a text as images write it.
func digest(text []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(text)) }
