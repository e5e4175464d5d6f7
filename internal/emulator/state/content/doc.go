// Package content keeps articles, news, folders, dynamic contents and connectors of a workspace.
package content
