// Package team draws the support team of a B2B software company: ten teammates in three teams, with office hours. Each conversation is a life
// of steps: asked, answered by the AI agent, routed, answered by hours and queue, closed, rated. Times follow from the steps, and what the
// source works out of times, such as figures, service levels and reports, is worked out of them here too.
package team
