// SPDX-License-Identifier: Apache-2.0
// A replay as binary glTF 2.0: a scene other programs show, turn and render.
#ifndef JREPORT_GLTF_H
#define JREPORT_GLTF_H

#include "scene/replay.h"

typedef struct jreport_scene {
  const char *name, *sha256, *settings;  // of the model
  const jscene_replay* replay;
} jreport_scene;

// A node per body, wheel, spring and rod, by its name, and the road, below a root that turns z up into y up;
// an animation that moves them. Lengths are metres, times begin with 0. The file appears whole or not at
// all; `*bytes` (may be NULL) is its size.
jo_status jreport_glb(jo_context* ctx, const jreport_scene* scene, const char* path,
                      int64_t* bytes);

#endif
