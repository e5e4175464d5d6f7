package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// releaseCommit is the commit that is released.
type releaseCommit struct {
	version string // what its file VERSION says
	id      string
	time    time.Time
}

// lastCommit returns the last commit of a repository. It is an error when the commit has tags of versions, and none of them is its own.
func lastCommit(ctx context.Context, root string) (releaseCommit, error) {
	said, err := runCommand(ctx, root, os.Environ(), "git", "log", "-1", "--format=%ct %H")
	if err != nil {
		return releaseCommit{}, err
	}
	seconds, id, _ := strings.Cut(strings.TrimSpace(said), " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return releaseCommit{}, fmt.Errorf("git says that the last commit is of %q", seconds)
	}
	version, err := runCommand(ctx, root, os.Environ(), "git", "show", id+":VERSION")
	if err != nil {
		return releaseCommit{}, err
	}
	c := releaseCommit{version: strings.TrimSpace(version), id: id, time: time.Unix(unix, 0).UTC()}
	tags, err := runCommand(ctx, root, os.Environ(), "git", "tag", "--points-at", id, "v*")
	if err != nil {
		return releaseCommit{}, err
	}
	if tags != "" && !strings.Contains("\n"+tags, "\nv"+c.version+"\n") {
		return releaseCommit{}, fmt.Errorf("commit %s has the tag %s and its file VERSION says %s: change VERSION, or tag the commit v%[3]s",
			id, strings.Join(strings.Fields(tags), ", "), c.version)
	}
	return c, nil
}

// exportCommit writes the files of the last commit into a directory: changes that are not committed are not released.
func exportCommit(ctx context.Context, root, to string) error {
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	packed := to + ".tar"
	if _, err := runCommand(ctx, root, os.Environ(), "git", "archive", "--format=tar", "-o", packed, "HEAD"); err != nil {
		return err
	}
	_, err := runCommand(ctx, to, os.Environ(), "tar", "xf", packed)
	return err
}
