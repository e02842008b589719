// SPDX-License-Identifier: Apache-2.0
#include "model/closure.h"

#include <stddef.h>

#include "base/assert.h"

// words of model/closure.def
#define POINTS   JMODEL_ENDS_POINTS
#define LINE     JMODEL_ENDS_LINE
#define PLANE    JMODEL_ENDS_PLANE
#define VECTORS  JMODEL_ENDS_VECTORS
#define NO_AXES  JMODEL_NO_AXES
#define AXIS_A   JMODEL_AXIS_A
#define AXES     JMODEL_AXES
#define MEET     JMODEL_MEET
#define ON_LINE  JMODEL_ON_LINE
#define IN_PLANE JMODEL_IN_PLANE
#define APART    JMODEL_APART
#define ALONG    JMODEL_ALONG
#define ACROSS   JMODEL_ACROSS
#define LOCKED   JMODEL_LOCKED

static const jmodel_closure_class classes[JMODEL_CLOSURE_COUNT] = {
#define X(id, name, ends, axes, conditions) {name, ends, axes, conditions},
#include "model/closure.def"
#undef X
};

const jmodel_closure_class* jmodel_closure_class_of(jmodel_closure_type type) {
  JASSERT((int)type >= 0 && type < JMODEL_CLOSURE_COUNT);
  return &classes[type];
}

int jmodel_closure_equations(const jmodel_closure_class* c) {
  static const struct {
    jmodel_condition condition;
    int n;
  } of[] = {{JMODEL_MEET, 3},  {JMODEL_ON_LINE, 2}, {JMODEL_IN_PLANE, 1}, {JMODEL_APART, 1},
            {JMODEL_ALONG, 2}, {JMODEL_ACROSS, 1},  {JMODEL_LOCKED, 3}};
  int n = 0;
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    if (c->conditions & of[i].condition) n += of[i].n;
  }
  return n;
}

bool jmodel_closure_has_u(const jmodel_closure_class* c) {
  return c->ends != JMODEL_ENDS_POINTS || c->axes != JMODEL_NO_AXES;
}

bool jmodel_closure_has_v(const jmodel_closure_class* c) {
  return c->ends == JMODEL_ENDS_VECTORS || c->axes == JMODEL_AXES;
}
