// SPDX-License-Identifier: Apache-2.0
// Where instances stand. Points and directions of a template are mirrored, turned and shifted as expressions of the
// numbers in the file, so that these keep their paths and their derivatives.
//
// A mirror image of a body keeps a right-handed frame: with S the reflection, that of orientation C becomes S C S,
// and components in it change sign along the axis of S, whatever the frame. What turns (axes of joints and wheels,
// moments) is turned round beside, so that equal values mean mirror images.
#include <string.h>

#include "model/template/instance.h"

static const char* part(jmodel_reader* r, const jmodel_scalar* s) {
  return s->text ? jmodel_format(r, "(%s)", s->text) : s->path;
}

static bool is_constant(const jmodel_scalar* s, const char* text) {
  return s->text && strcmp(s->text, text) == 0;
}

static jmodel_scalar written(const jmodel_scalar* like, const char* text) {
  return (jmodel_scalar){text, -1, like->path, like->place};
}

jmodel_scalar jmodel_negative(jmodel_reader* r, const jmodel_scalar* s) {
  if (is_constant(s, "0")) return *s;
  if (is_constant(s, "1")) return written(s, "-1");
  if (is_constant(s, "-1")) return written(s, "1");
  return written(s, jmodel_format(r, "-%s", part(r, s)));
}

static jmodel_scalar sum(jmodel_reader* r, const jmodel_scalar* a, const jmodel_scalar* b) {
  if (is_constant(a, "0")) return written(a, part(r, b));
  return written(a, jmodel_format(r, "%s + %s", part(r, a), part(r, b)));
}

// x' = x cos - y sin      y' = x sin + y cos
static void turn(jmodel_reader* r, const jmodel_scalar* angle, jmodel_v3* v) {
  const char *a = part(r, angle), *x = part(r, &v->e[0]), *y = part(r, &v->e[1]);
  v->e[0] = written(&v->e[0], jmodel_format(r, "%s*cos(%s) - %s*sin(%s)", x, a, y, a));
  v->e[1] = written(&v->e[1], jmodel_format(r, "%s*sin(%s) + %s*cos(%s)", x, a, y, a));
}

static void place(jmodel_reader* r, const jmodel_instance* in, jmodel_v3* v, bool is_point) {
  for (; in && !r->oom; in = in->outer) {
    for (int i = 0; i < in->nplacing; i++) {
      const jmodel_placing* p = &in->placing[i];
      if (p->kind == JMODEL_PLACED_MIRROR) {
        v->e[p->axis] = jmodel_negative(r, &v->e[p->axis]);
      } else if (p->kind == JMODEL_PLACED_TURN) {
        turn(r, &p->turn, v);
      } else {
        for (int k = 0; is_point && k < 3; k++) {
          v->e[k] = sum(r, &v->e[k], &p->shift.e[k]);
        }
      }
    }
  }
}

void jmodel_place_point(jmodel_reader* r, const jmodel_instance* in, jmodel_v3* v) {
  place(r, in, v, true);
}

void jmodel_place_direction(jmodel_reader* r, const jmodel_instance* in, jmodel_v3* v) {
  place(r, in, v, false);
}

void jmodel_flip(jmodel_reader* r, const jmodel_instance* in, jmodel_v3* v) {
  for (int i = 0; in && i < 3; i++) {
    if (in->flip[i] < 0) v->e[i] = jmodel_negative(r, &v->e[i]);
  }
}

void jmodel_turn_round(jmodel_reader* r, const jmodel_instance* in, jmodel_v3* v) {
  for (int i = 0; in && in->handed < 0 && i < 3; i++) {
    v->e[i] = jmodel_negative(r, &v->e[i]);
  }
}

void jmodel_flip_inertia(jmodel_reader* r, const jmodel_instance* in, jmodel_scalar inertia[6]) {
  static const int row[] = {0, 0, 1}, column[] = {1, 2, 2};
  for (int i = 0; in && i < 3; i++) {
    if (in->flip[row[i]] * in->flip[column[i]] > 0) continue;
    inertia[3 + i] = jmodel_negative(r, &inertia[3 + i]);
  }
}

void jmodel_place_axes(jmodel_reader* r, const jmodel_instance* in, const int given[2],
                       jmodel_v3 axis[2]) {
  for (int i = 0; in && i < 2; i++) {
    place(r, in, &axis[i], false);
    for (int k = 0; in->flip[given[i]] < 0 && k < 3; k++) {
      axis[i].e[k] = jmodel_negative(r, &axis[i].e[k]);
    }
  }
}

void jmodel_signs(const jmodel_instance* in, int arrow[3], int turned[3]) {
  for (int i = 0; i < 3; i++) {
    arrow[i] = in ? in->flip[i] : 1;
    turned[i] = in ? in->handed * in->flip[i] : 1;
  }
}

static void read_placing(jmodel_reader* r, jmodel_instance* in) {
  jmodel_at at = {r, "instance", in->name, jmodel_format(r, "instances.%s", in->name)};
  for (int i = 0; i < in->nplacing; i++) {
    jmodel_placing* p = &in->placing[i];
    if (p->kind == JMODEL_PLACED_MIRROR) continue;
    p->path = jmodel_format(r, "%s.%s", at.path, p->path);
    if (p->kind == JMODEL_PLACED_TURN) {
      p->turn = jmodel_scalar_at(&at, p->node, "turn", p->path, JMODEL_SCOPE_PARAMETERS);
    } else {
      p->shift = jmodel_v3_at(&at, p->node, "at", p->path, JMODEL_SCOPE_PARAMETERS);
    }
  }
}

// The file gives the place of both once: its numbers are shared, and move both.
static void share_placing(jmodel_reader* r, jmodel_instance* in) {
  const jmodel_instance* own = r->instance;
  while (own && strcmp(own->name, in->placed_as) != 0) {
    own = own->next;
  }
  for (int i = 0; own && i < own->nplacing; i++) {
    if (own->placing[i].kind != JMODEL_PLACED_MIRROR) in->placing[i] = own->placing[i];
  }
  r->m->image[r->m->nimage++] = (jmodel_image){in->name, in->placed_as};
}

static bool is_image(const jmodel_instance* in) {
  return strcmp(in->placed_as, in->name) != 0;
}

void jmodel_read_instances(jmodel_reader* r, const jmodel_node* root) {
  (void)root;
  int n = 0;
  for (jmodel_instance* in = r->instance; in && !r->oom; in = in->next) {
    if (is_image(in)) {
      n++;
    } else {
      read_placing(r, in);
    }
  }
  r->m->image = JMODEL_ARRAY(r, n, jmodel_image);
  for (jmodel_instance* in = r->instance; in && !r->oom; in = in->next) {
    if (is_image(in)) share_placing(r, in);
  }
}
