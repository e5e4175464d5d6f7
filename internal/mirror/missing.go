package mirror

import (
	"strings"

	"aqueduck/internal/problem"
)

// Missing says why this program cannot mirror to a location: it was built without the libraries for these tables, or without those for that store. The
// empty location is one that every program with the mirror has.
func Missing(location string) error {
	isOther := location != "" && !strings.HasPrefix(location, "s3://")
	p := &problem.Problem{Class: "config", What: "this program was built without the Iceberg mirror", Next: "build it with the mirror: make build-mirror; or remove warehouse.mirror from pipelines.yaml"}
	switch {
	case isOther && !HasOtherStores():
		p.What = "this program was built without the mirror to stores other than S3: " + location
		p.Next = "build it with them: make build-stores; or name a location that begins with s3://"
	case !hasTables():
	default:
		return nil
	}
	return p
}

// hasTables is no constant: then what follows a check of it would never run.
func hasTables() bool { return len(tableLibraries) > 0 }

// HasOtherStores says whether this program can mirror to Google Cloud Storage and Azure Blob Storage.
func HasOtherStores() bool { return hasTables() && len(storeLibraries) > 0 }
