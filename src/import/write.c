// SPDX-License-Identifier: Apache-2.0
// A draft as a model file. What was not taken over, what is to be filled in and what became something else stands
// on top of it.
#include <math.h>
#include <string.h>

#include "base/text/text.h"
#include "import/draft.h"

#define WIDTH 110  // of lines, where it can be had

static const char* const section_names[JIMPORT_SECTIONS] = {
    [JIMPORT_PARAMETERS] = "parameters", [JIMPORT_INPUTS] = "inputs",
    [JIMPORT_CLOSURES] = "closures",     [JIMPORT_FORCES] = "forces",
    [JIMPORT_BUSHES] = "bushes",         [JIMPORT_SIGNALS] = "signals",
    [JIMPORT_SENSORS] = "sensors",       [JIMPORT_INITIAL] = "initial"};

// ---- the head ------------------------------------------------------------------------------------

static void put_remarks(jtext* t, const jimport_draft* d, jimport_kind kind, const char* title) {
  bool is_first = true;
  for (const jimport_remark* r = d->remark; r; r = r->next) {
    if (r->kind != kind) continue;
    if (is_first) jtext_printf(t, "#\n# %s:\n", title);
    is_first = false;
    jtext_printf(t, "#   line %d: %s\n", r->line, r->text);
  }
}

static const char* file_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// Between double quotes; the text has no control characters.
static void put_quoted(jtext* t, const char* s) {
  jtext_put(t, "\"");
  for (; *s; s++) {
    if (*s == '"' || *s == '\\') jtext_put(t, "\\");
    jtext_write(t, s, 1);
  }
  jtext_put(t, "\"");
}

static void put_head(jtext* t, jimport_draft* d) {
  jtext_printf(t, "# Taken over by jounce import from %s (%s).\n",
               jimport_show(d, file_name(d->path)), d->format);
  put_remarks(t, d, JIMPORT_LOST, "Not taken over, of the source");
  put_remarks(t, d, JIMPORT_TO_FILL, "To be filled in");
  put_remarks(t, d, JIMPORT_CHANGED, "Something else than in the source");
  jtext_put(t, "jounce: 1\n");
  if (d->name) {
    jtext_put(t, "name: ");
    put_quoted(t, jimport_show(d, d->name));
    jtext_put(t, "\n");
  }
  static const double usual[3] = {0, 0, -9.81};
  if (memcmp(d->gravity, usual, sizeof usual) != 0) {
    jtext_printf(t, "gravity: %s\n", jimport_list(d, d->gravity, 3));
  }
}

// ---- bodies --------------------------------------------------------------------------------------

// Rounding of a product of rotations is no direction.
static double clean(double x) {
  double nearest = nearbyint(x);
  return fabs(x - nearest) < 4e-16 ? nearest : x;
}

static void put_frame(jtext* t, jimport_draft* d, const jimport_body* b) {
  double x[3], y[3];
  bool is_turned = false, is_moved = false;
  for (int i = 0; i < 3; i++) {
    x[i] = clean(b->design.R[i][0]);
    y[i] = clean(b->design.R[i][1]);
    is_turned = is_turned || x[i] != (i == 0) || y[i] != (i == 1);
    is_moved = is_moved || b->design.p[i] != 0.0;
  }
  if (!is_turned && !is_moved) return;
  jtext_printf(t, "    frame: {origin: %s", jimport_list(d, b->design.p, 3));
  if (is_turned) {
    jtext_printf(t, ", x: %s, y: %s", jimport_list(d, x, 3), jimport_list(d, y, 3));
  }
  jtext_put(t, "}\n");
}

static void put_vectors(jtext* t, jimport_draft* d, const char* key, const jimport_vector* v) {
  if (v) jtext_printf(t, "    %s:\n", key);
  for (; v; v = v->next) {
    jtext_printf(t, "      %s: %s\n", v->name, jimport_list(d, v->x, 3));
  }
}

static void put_body(jtext* t, jimport_draft* d, const jimport_body* b) {
  jtext_printf(t, "  %s:%s%s\n", b->name, b->comment ? "  # " : "", b->comment ? b->comment : "");
  static const double none[6] = {0};
  bool has_inertia = memcmp(b->inertia, none, sizeof none) != 0;
  bool has_products = memcmp(b->inertia + 3, none, 3 * sizeof *none) != 0;
  if (b->mass != 0.0 || has_inertia) {
    jtext_printf(t, "    mass: %s\n", jimport_number(d, b->mass));
    jtext_printf(t, "    com: %s\n", jimport_list(d, b->com, 3));
  }
  if (has_inertia) {
    jtext_printf(t, "    inertia: %s\n", jimport_list(d, b->inertia, has_products ? 6 : 3));
  }
  put_frame(t, d, b);
  put_vectors(t, d, "points", b->point);
  put_vectors(t, d, "vectors", b->vector);
}

// ---- joints --------------------------------------------------------------------------------------

static const char* axis_text(jimport_draft* d, const double* axis) {
  double x[3];
  for (int i = 0; i < 3; i++) {
    x[i] = clean(axis[i]);
  }
  for (int i = 0; i < 3; i++) {
    bool is_it = x[i] == 1.0 && x[(i + 1) % 3] == 0.0 && x[(i + 2) % 3] == 0.0;
    if (is_it) return jimport_text(d, "%c", "xyz"[i]);
  }
  return jimport_list(d, x, 3);
}

static void put_joint(jtext* t, jimport_draft* d, const jimport_joint* j) {
  static const char* const keys[] = {"axis", "axis2"};
  bool is_free = strcmp(j->type, "free") == 0;
  jtext_printf(t, "  %s: {type: %s, parent: %s, child: %s", j->name, j->type, j->parent->name,
               j->child->name);
  if (!is_free) {
    jtext_printf(t, ", at: [%s, %s]", jimport_end_text(d, (jimport_end){j->parent, j->at_parent}),
                 jimport_end_text(d, (jimport_end){j->child, j->at_child}));
  }
  for (int i = 0; i < j->naxis; i++) {
    jtext_printf(t, ", %s: %s", keys[i], axis_text(d, j->axis[i]));
  }
  if (j->drive) jtext_printf(t, ", drive: %s", j->drive);
  if (j->guess != 0.0) jtext_printf(t, ", guess: %s", jimport_number(d, j->guess));
  // a wish says nothing where there are no loops
  if (j->independent >= 0 && d->nclosure > 0) {
    jtext_printf(t, ", independent: %s", j->independent ? "true" : "false");
  }
  jtext_printf(t, "}%s%s\n", j->comment ? "  # " : "", j->comment ? j->comment : "");
}

// ---- the whole -----------------------------------------------------------------------------------

static void put_section(jtext* t, const jimport_draft* d, jimport_section s) {
  if (d->entry[s]) jtext_printf(t, "\n%s:\n", section_names[s]);
  for (const jimport_entry* e = d->entry[s]; e; e = e->next) {
    size_t width = strlen(e->name) + strlen(e->value) + 8;
    bool is_beside = e->comment && width + strlen(e->comment) < WIDTH;
    if (e->comment && !is_beside) jtext_printf(t, "  # %s\n", e->comment);
    jtext_printf(t, "  %s: %s", e->name, e->value);
    if (is_beside) jtext_printf(t, "  # %s", e->comment);
    jtext_put(t, "\n");
  }
}

static void put_ground(jtext* t, jimport_draft* d) {
  if (d->ground.point) jtext_put(t, "\nhardpoints:  # points of the ground\n");
  for (const jimport_vector* v = d->ground.point; v; v = v->next) {
    jtext_printf(t, "  %s: %s\n", v->name, jimport_list(d, v->x, 3));
  }
}

jo_status jimport_write(jimport_draft* d, const char** text) {
  jtext t;
  jtext_init(&t, d->ctx);
  put_head(&t, d);
  put_section(&t, d, JIMPORT_PARAMETERS);
  put_section(&t, d, JIMPORT_INPUTS);
  put_ground(&t, d);
  jtext_put(&t, "\nbodies:\n");
  for (const jimport_body* b = d->body; b; b = b->next) {
    put_body(&t, d, b);
  }
  jtext_put(&t, "\njoints:\n");
  for (const jimport_joint* j = d->joint; j; j = j->next) {
    put_joint(&t, d, j);
  }
  for (int s = JIMPORT_CLOSURES; s < JIMPORT_SECTIONS; s++) {
    put_section(&t, d, (jimport_section)s);
  }
  jtext_put(&t, "\nsimulation: {end: 1}\n");
  *text = t.failed ? NULL : jarena_strdup(d->a, t.data);
  jtext_free(&t);
  return *text && !d->failed ? JO_OK : jerr_memory(d->ctx);
}
