// Package apiversion knows the versions of the API and what each of them began (workspace-api 9).
package apiversion
