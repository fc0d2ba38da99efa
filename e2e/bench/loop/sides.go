package main

// side is one of the controllers to compare.
type side struct {
	name    string
	program string // its name in the folder of the built ones
	variant string
	// held is what its ratios are held to; nil for what crdctl is held to itself.
	held limits
}

// The sides, as the tables name them.
const (
	reference = "controller-runtime"
	pattern   = "sample-controller"
	whole     = "crdctl-whole"
	settling  = "crdctl-until-reconciled" // whole objects that are let go of once they were reconciled
	metadata  = "crdctl-metadata"
	builtin   = "crdctl-run" // the program that users have, and not only its loop
)

var sides = []side{
	{reference, "controllerruntime", "-", nil},
	{pattern, "samplecontroller", "-", nil},
	{whole, "ours", "whole", wholeLimits},
	{settling, "ours", "until-reconciled", settlingLimits},
	{metadata, "ours", "metadata", metadataLimits},
	{builtin, "", "", nil},
}
