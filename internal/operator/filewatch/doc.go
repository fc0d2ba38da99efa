// Package filewatch tells when files that decide something have changed: a hook's program, a folder of templates.
//
// It compares what the file system says of files (which file it is, size, time), and reads none of them. internal/fswatch is for the
// sources of a project, where every event counts; here it is the state that counts, since what is watched may lie in a folder
// where others write all the time, or be swapped by a symbolic link, as the kubelet does with ConfigMaps.
package filewatch
