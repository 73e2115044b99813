// tactus.h - everything in the public API.
//
//   status.h      how failure is reported       signal.h      types, stages, policies
//   time.h        microseconds                  component.h   the protocol of components
//   memory.h      the allocation hook           plugin.h      components in shared libraries
//   node.h        documents before types        engine.h      building and running from C
//   math.h        deterministic functions       config.h      from YAML to an engine
//   world.h       origin, gravity, ground       px4.h         asking a library of PX4
//   outside.h     driving an engine from another  expect.h      what a run is expected to do
//                 program
#ifndef TACTUS_TACTUS_H
#define TACTUS_TACTUS_H

#include <tactus/config.h>
#include <tactus/engine.h>
#include <tactus/expect.h>
#include <tactus/math.h>
#include <tactus/outside.h>
#include <tactus/plugin.h>

#endif
