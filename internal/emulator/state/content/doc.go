// Package content stores articles, news, folders, dynamic contents and connectors of a workspace.
package content
