// Package export reads one dataset of the reporting exports: jobs, their archives, and the days that they cover.
package export
