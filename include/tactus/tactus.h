// tactus.h - everything in the public API.
//
//   api.h         sizes of structs, version     signal.h      types, stages, policies
//   status.h      how failure is reported       component.h   the protocol of components
//   time.h        microseconds                  plugin.h      components in shared libraries
//   memory.h      the allocation hook           engine.h      building and running from C
//   node.h        documents before types        outside.h     driving an engine from a program
//   math.h        deterministic functions       config.h      from YAML to an engine
//   world.h       origin, gravity, ground       record.h      recordings: made, read, replayed
//   px4.h         examining a PX4 library       expect.h      what a run is expected to do
//   link.h        delays and losses of links    federation.h  many processes, one simulation
//   lcm.h         applications of LCM           sensitivity.h derivatives of whole runs
//   graph.h       simulations as functions      solve.h       trim, linear models, optima
#ifndef TACTUS_TACTUS_H
#define TACTUS_TACTUS_H

#include <tactus/config.h>
#include <tactus/engine.h>
#include <tactus/expect.h>
#include <tactus/federation.h>
#include <tactus/graph.h>
#include <tactus/lcm.h>
#include <tactus/math.h>
#include <tactus/outside.h>
#include <tactus/plugin.h>
#include <tactus/px4.h>
#include <tactus/sensitivity.h>
#include <tactus/solve.h>

#endif
