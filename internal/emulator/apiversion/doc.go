// Package apiversion knows the versions of the API and their order (workspace-api 9).
package apiversion
