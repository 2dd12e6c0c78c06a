// zygote: how a fork of a template's interpreter gets into a live sandbox. This is the one library of ours
// that a foreign program loads: it has no C++ runtime, allocates nothing and keeps nothing, and the spawner
// puts it where the zygote finds it, so that both are of one version.
//
// A zygote is an interpreter with its packages imported. It runs third-party code, so it is believed in
// nothing: all that it has is its channel to the spawner, and CAP_SYS_ADMIN over its template's nursery.
#pragma once

extern "C" {

// For a zygote with one thread: forks a newcomer for each call that comes through the channel. Returns 0 when
// the spawner has hung up; 1 in a newcomer, which is a process of its sandbox by then and has descriptors 0
// to 2, its runtime's channel at 4 and what belongs to it at 5, and no others.
__attribute__((visibility("default"))) int cove_await_calls(int channel);

// Tells the spawner that the zygote is ready (reason null), or why it cannot be.
__attribute__((visibility("default"))) void cove_tell(int channel, const char* reason);
}
