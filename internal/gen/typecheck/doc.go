// Package typecheck type-checks generated Go code before it is written.
//
// Generated files are checked whole, the files next to them without function bodies, and of the packages that they import no
// more is read than the declarations that the generated code leads to: a client uses a fraction of client-go and of net/http.
// What is left out of an import can only hide errors or invent them; so where the quick check finds an error, an exact one,
// which keeps all methods and fields, decides.
//
// It knows neither projects nor generators, and never writes.
package typecheck
