// Package trim makes the process smaller once it knows what it is to do.
//
// It must not be imported by package startup, which comes before everything.
package trim
