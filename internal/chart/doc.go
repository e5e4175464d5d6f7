// Package chart draws pictures: numbers as a PNG file for slides and messages, and the lineage of a relation as SVG.
package chart
