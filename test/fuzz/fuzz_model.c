// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a model file, the first line "#set name=value" as a setting. Nothing may
// crash, leak or hang; a failure says why, and what is accepted keeps the promises of model.h.
//
//   ./fuzz_model -max_len=2048 test/fuzz/corpus_model
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "element/data.h"
#include "element/list.h"
#include "model/model.h"
#include "support/error_count.h"

static void require(bool condition) {
  if (!condition) abort();
}

static void check_scalar(const jmodel* m, const jmodel_scalar* s) {
  require(s->path != NULL && s->place.file != NULL);
  require((s->text == NULL) == (s->number >= 0));
  require(s->number < m->nnumber);
}

static void check_v3(const jmodel* m, const jmodel_v3* v) {
  for (int i = 0; i < 3; i++) {
    check_scalar(m, &v->e[i]);
  }
}

static void check_point(const jmodel* m, const jmodel_point* p) {
  require(p->name != NULL && p->body >= 0 && p->body < m->nbody);
  check_v3(m, &p->r);
}

static void check_vector(const jmodel* m, const jmodel_vector* v) {
  require(v->name != NULL && v->body >= 0 && v->body < m->nbody);
  check_v3(m, &v->v);
}

static void check_tree(const jmodel* m) {
  require(m->njoint == m->nbody - 1);
  int ncoordinate = 0;
  for (int i = 0; i < m->njoint; i++) {
    const jmodel_joint* j = &m->joint[i];
    require(j->child > 0 && j->child < m->nbody && j->parent >= 0 && j->parent < m->nbody);
    // parents before children
    bool is_carried = j->parent == 0;
    for (int k = 0; k < i; k++) {
      is_carried = is_carried || m->joint[k].child == j->parent;
      require(m->joint[k].child != j->child);
    }
    require(is_carried && j->first_coordinate == ncoordinate);
    ncoordinate += j->ncoordinate;
    check_point(m, &j->at_parent);
    check_point(m, &j->at_child);
    check_vector(m, &j->axis_parent);
    check_vector(m, &j->axis_child);
    check_vector(m, &j->axis2);
  }
  require(ncoordinate == m->ncoordinate);
}

static void check_law(const jmodel* m, const jelement_law* law) {
  if (law->has_stiffness) check_scalar(m, &law->stiffness);
  if (law->has_force) check_scalar(m, &law->force);
  require(law->spring_table < m->ntable && law->damper_table < m->ntable);
}

static void check_tyre(const jmodel* m, const jelement_tyre_data* t) {
  check_point(m, &t->wheel.centre);
  check_vector(m, &t->wheel.axis);
  check_scalar(m, &t->mu_y);
}

static void check_element(const jmodel* m, const jmodel_element* e) {
  require(e->coordinate < m->ncoordinate);
  require(e->first_component + e->class->ncomponent <= m->ncomponent);
  if (e->class == &jelement_line.model) {
    const jelement_line_data* f = e->data;
    check_point(m, &f->ends.a);
    check_point(m, &f->ends.b);
    check_law(m, &f->law);
  }
  if (e->class == &jelement_coordinate.model) {
    check_law(m, &((const jelement_coordinate_data*)e->data)->law);
  }
  if (e->class == &jelement_tyre.model) check_tyre(m, e->data);
  jmodel_shape shape[JMODEL_MAX_SHAPES];
  int n = e->class->draw ? e->class->draw(e, shape) : 0;
  for (int i = 0; i < n; i++) {
    check_point(m, shape[i].a);
  }
}

static void check_elements(const jmodel* m) {
  for (int i = 0; i < m->nclosure; i++) {
    check_point(m, &m->closure[i].a);
    check_point(m, &m->closure[i].b);
    check_vector(m, &m->closure[i].u);
    check_vector(m, &m->closure[i].v);
    check_scalar(m, &m->closure[i].length);
  }
  for (int i = 0; i < m->nelement; i++) {
    check_element(m, &m->element[i]);
  }
  for (int i = 0; i < m->ntable; i++) {
    for (int k = 0; k < m->table[i].n; k++) {
      check_scalar(m, &m->table[i].x[k]);
      check_scalar(m, &m->table[i].y[k]);
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const char* text = (const char*)data;
  jmodel_setting set = {NULL, NULL};
  char line[128];
  int nset = 0;
  const char* end = memchr(text, '\n', size < sizeof line ? size : sizeof line);
  if (size > 5 && end && memcmp(text, "#set ", 5) == 0) {
    size_t n = (size_t)(end - text);
    memcpy(line, text, n);
    line[n] = '\0';
    char* equals = strchr(line, '=');
    set = (jmodel_setting){line + 5, equals ? equals + 1 : ""};
    if (equals) *equals = '\0';
    nset = 1;
  }
  jo_context* ctx = NULL;
  jmodel* m = NULL;
  require(jo_context_create(NULL, &ctx) == JO_OK);
  jo_status status = jmodel_parse(ctx, text, size, "/nowhere/fuzz.yaml", &set, nset, &m);
  require((status < 0) == (m == NULL));
  require((status < 0) == (error_count(ctx) > 0));
  require(error_count(ctx) <= 20);
  if (m) {
    check_tree(m);
    check_elements(m);
    for (int i = 0; i < m->nnumber; i++) {
      require(m->number[i].value - m->number[i].value == 0.0);  // finite
    }
  }
  jmodel_destroy(m);
  jo_context_destroy(ctx);
  return 0;
}
