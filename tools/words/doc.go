// Command words counts, in everything that people read of this project, sentences of more than thirty words, words that the glossary
// replaces by others, and long cells of tables.
//
// It reads the pages in Markdown, the texts and comments of YAML files, the comments that models and saved queries begin with, the pages
// of the console and of the emulator, and the texts of the program: help, errors, logs. Code in a text counts as one word and is not compared with the glossary.
package main
