// Package apiversion lists the versions of the API and what each of them added (workspace-api 9).
package apiversion
