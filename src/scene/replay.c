// SPDX-License-Identifier: Apache-2.0
// Frames of a motion: points are gathered from the model, the model is copied with a named point and
// three sensors for each, and the equations of the copy are asked where they are along a run. Only these
// sensors of it are evaluated, some hundred times: they are interpreted.
#include "scene/replay.h"

#include <math.h>
#include <string.h>

#include "model/element.h"

#define RATE       50.0    // frames per second
#define MAX_VALUES 300000  // of all points and frames: some 2 MB as text
#define PER_WHEEL  6       // points that tell how a wheel stands
#define PER_BODY   3       // and how a body does

// A point fixed to a body, by what the model says of it.
typedef struct spot {
  int body;
  bool in_vehicle;
  jmodel_v3 r;
} spot;

typedef struct builder {
  jscene_replay* out;
  const jmodel* m;
  jarena a;  // scratch
  int nspot, cap;
  spot* spot;
  int nshape;
  jmodel_shape* shape;  // of the elements
  const char** shape_name;
  int (*of_wheel)[PER_WHEEL];    // centre; axis from, to; origin, x, y of the body
  const jmodel_scalar** radius;  // by wheel
  int (*of_body)[PER_BODY];      // origin, x, y
  jmodel model;                  // the copy
  const jplant* plant;
  jgen_dynamics* seen;  // of the copy
  double* p;            // its live numbers
  jexpr_tape tape;      // the first of its outputs: points, radii
  double* work;
  int nvalue;               // of a frame
  int nsample, sample_cap;  // frames
  double* sample;           // nsample x nvalue
} builder;

// ---- points --------------------------------------------------------------------------------------

static bool same_scalar(const jmodel_scalar* a, const jmodel_scalar* b) {
  if (a->number >= 0 || b->number >= 0) return a->number == b->number;
  return strcmp(a->text ? a->text : "0", b->text ? b->text : "0") == 0;
}

static bool same_spot(const spot* a, const spot* b) {
  return a->body == b->body && a->in_vehicle == b->in_vehicle &&
         same_scalar(&a->r.e[0], &b->r.e[0]) && same_scalar(&a->r.e[1], &b->r.e[1]) &&
         same_scalar(&a->r.e[2], &b->r.e[2]);
}

static int add(builder* b, spot s) {
  for (int i = 0; i < b->nspot; i++) {
    if (same_spot(&b->spot[i], &s)) return i;
  }
  b->spot[b->nspot] = s;
  return b->nspot++;
}

static int add_point(builder* b, const jmodel_point* p) {
  return add(b, (spot){p->body, p->in_vehicle, p->r});
}

static jmodel_v3 axis_text(const jmodel* m, int one) {
  jmodel_v3 v;
  for (int i = 0; i < 3; i++) {
    v.e[i] = (jmodel_scalar){.text = i == one ? "1" : "0", .number = -1, .path = ""};
    v.e[i].place.file = m->path;
  }
  return v;
}

// ---- elements ------------------------------------------------------------------------------------

// Shapes of all elements, and whose they are.
static jo_status list_shapes(builder* b) {
  const jmodel* m = b->m;
  b->shape = JARENA_ARRAY(&b->a, JMODEL_MAX_SHAPES * m->nelement, jmodel_shape);
  b->shape_name = JARENA_ARRAY(&b->a, JMODEL_MAX_SHAPES * m->nelement, const char*);
  if (!b->shape || !b->shape_name) return jerr_memory(b->out->ctx);
  for (int i = 0; i < m->nelement; i++) {
    const jmodel_element* e = &m->element[i];
    int n = e->class->draw ? e->class->draw(e, b->shape + b->nshape) : 0;
    for (int k = 0; k < n; k++) {
      b->shape_name[b->nshape++] = e->name;
    }
  }
  return JO_OK;
}

static int count_shapes(const builder* b, jmodel_shape_kind kind) {
  int n = 0;
  for (int i = 0; i < b->nshape; i++) {
    n += b->shape[i].kind == kind;
  }
  return n;
}

static int most_spots(const builder* b) {
  const jmodel* m = b->m;
  int n = 2 * m->njoint + 2 * m->nclosure + m->nbody;
  for (int i = 0; i < m->nbody; i++) {
    n += m->body[i].npoint;
  }
  n += PER_WHEEL * count_shapes(b, JMODEL_SHAPE_WHEEL) + PER_BODY * m->nbody;
  return n + 2 * b->nshape + 1;
}

static void add_joints_and_closures(builder* b) {
  const jmodel* m = b->m;
  for (int i = 0; i < m->njoint; i++) {
    const jmodel_joint* j = &m->joint[i];
    if (!jmodel_joint_class_of(j->type)->is_place) add_point(b, &j->at_parent);
    add_point(b, &j->at_child);
  }
  for (int i = 0; i < m->nclosure; i++) {
    const jmodel_closure* c = &m->closure[i];
    const jmodel_closure_class* class_ = jmodel_closure_class_of(c->type);
    if (class_->ends == JMODEL_ENDS_VECTORS) continue;
    int ends[2] = {add_point(b, &c->a), add_point(b, &c->b)};
    if (!(class_->conditions & JMODEL_APART)) continue;
    b->out->line[b->out->nline++] = (jscene_replay_line){c->name, ends[0], ends[1], false};
  }
}

static void add_points_and_lines(builder* b) {
  for (int i = 0; i < b->nshape; i++) {
    const jmodel_shape* k = &b->shape[i];
    if (k->kind == JMODEL_SHAPE_WHEEL) continue;
    int ends[2] = {add_point(b, k->a), -1};
    if (k->kind != JMODEL_SHAPE_LINE) continue;
    ends[1] = add_point(b, k->b);
    jscene_replay_line line = {b->shape_name[i], ends[0], ends[1], true};
    b->out->line[b->out->nline++] = line;
  }
}

static int points_on(const builder* b, int body) {
  int n = 0;
  for (int i = 0; i < b->nspot; i++) {
    n += b->spot[i].body == body;
  }
  return n;
}

// Everything that is drawn. A body of one point also shows its centre of mass.
static void add_drawn(builder* b) {
  const jmodel* m = b->m;
  for (int i = 1; i < m->nbody; i++) {
    for (int k = 0; k < m->body[i].npoint; k++) {
      add(b, (spot){i, false, m->body[i].point[k].value});
    }
  }
  add_joints_and_closures(b);
  add_points_and_lines(b);
  for (int i = 1; i < m->nbody; i++) {
    if (m->body[i].has_mass && points_on(b, i) < 2)
      add(b, (spot){i, m->body[i].com_in_vehicle, m->body[i].com});
  }
}

static void add_wheel(builder* b, const char* name, const jmodel_shape* shape) {
  const jmodel* m = b->m;
  const jmodel_vector* axis = shape->axis;
  jscene_replay* r = b->out;
  int* k = b->of_wheel[r->nwheel];
  k[0] = add_point(b, shape->a);
  k[1] = add(b, (spot){axis->body, axis->in_vehicle, axis_text(m, -1)});
  k[2] = add(b, (spot){axis->body, axis->in_vehicle, axis->v});
  k[3] = add(b, (spot){shape->body, false, axis_text(m, -1)});
  k[4] = add(b, (spot){shape->body, false, axis_text(m, 0)});
  k[5] = add(b, (spot){shape->body, false, axis_text(m, 1)});
  b->radius[r->nwheel] = shape->radius;
  r->wheel[r->nwheel++].name = name;
}

static jo_status gather(builder* b) {
  const jmodel* m = b->m;
  jscene_replay* r = b->out;
  JO_TRY(list_shapes(b));
  int nwheel = count_shapes(b, JMODEL_SHAPE_WHEEL), nline = count_shapes(b, JMODEL_SHAPE_LINE);
  b->spot = JARENA_ARRAY(&b->a, most_spots(b), spot);
  b->of_wheel = jarena_array(&b->a, (size_t)nwheel, sizeof *b->of_wheel);
  b->radius = JARENA_ARRAY(&b->a, nwheel, const jmodel_scalar*);
  b->of_body = jarena_array(&b->a, (size_t)m->nbody, sizeof *b->of_body);
  r->line = JARENA_ARRAY(&r->arena, nline + m->nclosure, jscene_replay_line);
  r->wheel = JARENA_ARRAY(&r->arena, nwheel, jscene_replay_wheel);
  bool ok = b->spot && b->of_wheel && b->radius && b->of_body && r->line && r->wheel;
  if (!ok) return jerr_memory(r->ctx);
  add_drawn(b);
  r->npoint = b->nspot;
  for (int i = 0; i < b->nshape; i++) {
    if (b->shape[i].kind == JMODEL_SHAPE_WHEEL) add_wheel(b, b->shape_name[i], &b->shape[i]);
  }
  for (int i = 0; i < m->nbody; i++) {
    for (int k = 0; k < PER_BODY; k++) {
      b->of_body[i][k] = add(b, (spot){i, false, axis_text(m, k - 1)});
    }
  }
  return JO_OK;
}

// ---- the copy of the model -----------------------------------------------------------------------

static jmodel_signal sensor(const builder* b, const char* name, const char* text) {
  jmodel_scalar value = {.text = text, .number = -1, .path = name};
  value.place.file = b->m->path;
  return (jmodel_signal){name, value, "", "", true};
}

static jo_status name_points(builder* b) {
  const jmodel* m = b->m;
  jmodel* copy = &b->model;
  copy->body = JARENA_ARRAY(&b->a, m->nbody, jmodel_body);
  copy->hardpoint = JARENA_ARRAY(&b->a, m->nhardpoint + b->nspot, jmodel_named_v3);
  if (!copy->body || !copy->hardpoint) return jerr_memory(b->out->ctx);
  memcpy(copy->body, m->body, (size_t)m->nbody * sizeof *m->body);
  if (m->nhardpoint) {
    memcpy(copy->hardpoint, m->hardpoint, (size_t)m->nhardpoint * sizeof *m->hardpoint);
  }
  for (int i = 0; i < m->nbody; i++) {
    jmodel_body* body = &copy->body[i];
    body->point = JARENA_ARRAY(&b->a, body->npoint + b->nspot, jmodel_named_v3);
    if (!body->point) return jerr_memory(b->out->ctx);
    if (body->npoint) {
      memcpy(body->point, m->body[i].point, (size_t)body->npoint * sizeof *body->point);
    }
  }
  for (int i = 0; i < b->nspot; i++) {
    jmodel_named_v3 p = {jarena_printf(&b->a, "jounce_replay_%d", i), b->spot[i].r, {m->path, 0}};
    if (!p.name) return jerr_memory(b->out->ctx);
    jmodel_body* body = &copy->body[b->spot[i].body];
    if (b->spot[i].in_vehicle) {
      copy->hardpoint[copy->nhardpoint++] = p;
    } else {
      body->point[body->npoint++] = p;
    }
  }
  return JO_OK;
}

// Signals of the model stay, for others may need them, but are not written.
static jo_status add_sensors(builder* b) {
  const jmodel* m = b->m;
  jmodel* copy = &b->model;
  copy->signal = JARENA_ARRAY(&b->a, m->nsignal + 3 * b->nspot + b->out->nwheel, jmodel_signal);
  if (!copy->signal) return jerr_memory(b->out->ctx);
  for (int i = 0; i < m->nsignal; i++) {
    copy->signal[i] = m->signal[i];
    copy->signal[i].is_output = false;
  }
  for (int i = 0; i < 3 * b->nspot; i++) {
    const char* body = m->body[b->spot[i / 3].body].name;
    char axis = (char)('x' + i % 3);
    char* name = jarena_printf(&b->a, "jounce_replay_signal_%d", i);
    char* text = jarena_printf(&b->a, "%s.jounce_replay_%d.%c", body, i / 3, axis);
    if (!name || !text) return jerr_memory(b->out->ctx);
    copy->signal[copy->nsignal++] = sensor(b, name, text);
  }
  for (int i = 0; i < b->out->nwheel; i++) {
    char* name = jarena_printf(&b->a, "jounce_replay_radius_%d", i);
    if (!name) return jerr_memory(b->out->ctx);
    copy->signal[copy->nsignal] = sensor(b, name, "0");
    copy->signal[copy->nsignal++].value = *b->radius[i];
  }
  return jmodel_index_signals(copy, &b->a) ? JO_OK : jerr_memory(b->out->ctx);
}

// ---- frames --------------------------------------------------------------------------------------

static void direction(const double* from, const double* to, double* out) {
  double square = 0.0;
  for (int i = 0; i < 3; i++) {
    out[i] = to[i] - from[i];
    square += out[i] * out[i];
  }
  for (int i = 0; i < 3 && square > 0.0; i++) {
    out[i] /= sqrt(square);
  }
}

static double dot(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Centre, axis, and what is left of the body's x axis across it: of its y axis where x is the axis.
static void place_wheel(const int* k, const double* at, double* out) {
  static const double origin[3] = {0};
  double x[3], y[3], across[3], *axis = out + 3;
  memcpy(out, at + 3 * k[0], 3 * sizeof *out);
  direction(at + 3 * k[1], at + 3 * k[2], axis);
  direction(at + 3 * k[3], at + 3 * k[4], x);
  direction(at + 3 * k[3], at + 3 * k[5], y);
  const double* ref = fabs(dot(x, axis)) < 0.8 ? x : y;
  double along = dot(ref, axis);
  for (int i = 0; i < 3; i++) {
    across[i] = ref[i] - along * axis[i];
  }
  direction(origin, across, out + 6);
}

static void place_body(const int* k, const double* at, double* out) {
  memcpy(out, at + 3 * k[0], 3 * sizeof *out);
  direction(at + 3 * k[0], at + 3 * k[1], out + 3);
  direction(at + 3 * k[0], at + 3 * k[2], out + 6);
}

// Where everything is at a state of the run.
static jo_status keep_sample(void* user, double t, const double* y) {
  builder* b = user;
  jo_context* ctx = b->out->ctx;
  size_t size = (size_t)b->nvalue * sizeof *b->sample;
  if (!jmem_grow(ctx, &b->sample, &b->sample_cap, b->nsample + 1, size)) return jerr_memory(ctx);
  double* value = b->sample + (size_t)b->nsample++ * (size_t)b->nvalue;
  const double* in[JGEN_GROUP_COUNT] = {[JGEN_P] = b->p, [JGEN_T] = &t, [JGEN_Y] = y};
  jexpr_tape_eval(&b->tape, 1, in, (double* const[]){value}, b->work);
  return JO_OK;
}

static jo_status take_frames(builder* b) {
  jscene_replay* r = b->out;
  r->nframe = b->nsample;
  r->nbody = b->m->nbody;
  r->xyz = JARENA_ARRAY(&r->arena, 3 * (size_t)r->nframe * (size_t)r->npoint, double);
  r->spin = JARENA_ARRAY(&r->arena, 9 * (size_t)r->nframe * (size_t)r->nwheel, double);
  r->pose = JARENA_ARRAY(&r->arena, 9 * (size_t)r->nframe * (size_t)r->nbody, double);
  if (!r->xyz || !r->spin || !r->pose) return jerr_memory(r->ctx);
  for (int f = 0; f < r->nframe; f++) {
    const double* at = b->sample + (size_t)f * (size_t)b->nvalue;
    size_t n = 3 * (size_t)r->npoint;
    memcpy(r->xyz + (size_t)f * n, at, n * sizeof *at);
    for (int w = 0; w < r->nwheel; w++) {
      place_wheel(b->of_wheel[w], at, r->spin + 9 * ((size_t)f * (size_t)r->nwheel + (size_t)w));
      r->wheel[w].radius = at[3 * b->nspot + w];
    }
    for (int i = 0; i < r->nbody; i++) {
      place_body(b->of_body[i], at, r->pose + 9 * ((size_t)f * (size_t)r->nbody + (size_t)i));
    }
  }
  return JO_OK;
}

static jo_status shape_bodies(builder* b) {
  jscene_replay* r = b->out;
  const jmodel* m = b->m;
  r->body = JARENA_ARRAY(&r->arena, m->nbody, jscene_replay_body);
  if (!r->body) return jerr_memory(r->ctx);
  for (int i = 0; i < m->nbody; i++) {
    jscene_replay_body* body = &r->body[i];
    body->name = m->body[i].name;
    body->point = JARENA_ARRAY(&r->arena, points_on(b, i), int);
    if (!body->point) return jerr_memory(r->ctx);
    for (int k = 0; k < r->npoint; k++) {
      if (b->spot[k].body == i) body->point[body->npoint++] = k;
    }
    if (i > 0 && r->nframe > 0) JO_TRY(jscene_replay_outline(r->ctx, &r->arena, r->xyz, body));
  }
  r->follow = -1;
  for (int i = m->njoint - 1; i >= 0; i--) {
    if (jmodel_joint_class_of(m->joint[i].type)->is_place) r->follow = m->joint[i].child;
  }
  return JO_OK;
}

// ---- the whole -----------------------------------------------------------------------------------

static double frame_step(const builder* b, double span) {
  double n = ceil(RATE * span - 1e-6), values = 3.0 * b->out->npoint + 9.0 * b->out->nwheel;
  n = fmin(n, fmax(10.0, floor(MAX_VALUES / (values + 1.0))));
  return span / fmax(n, 1.0);
}

// The same states as those of the plant, so that its sensors can be asked at them. Conditions are judged
// where it is asked.
static jo_status write_equations(builder* b) {
  jo_context* ctx = b->out->ctx;
  const jgen_dynamics* d = b->plant->dynamics;
  jgen_options gen = {0};
  JO_TRY(jgen_dynamics_build(ctx, &b->model, &gen, &d->part, &b->seen));
  if (b->seen->ny != d->ny) {
    return jerr_set(ctx, JO_ERR_MODEL, "%s: the points to be drawn do not fit the equations",
                    b->m->path);
  }
  b->nvalue = 3 * b->nspot + b->out->nwheel;
  jexpr_outputs points = b->seen->fn[JGEN_FN_OUTPUTS].out[0];
  points.n = b->nvalue;
  const jexpr_fn fn = {"points", b->seen->g, 1, &points};
  return jexpr_tape_prepare(ctx, &b->a, &fn, &b->tape, &b->work);
}

// Numbers of the run: those of the copy are among the plant's.
static jo_status take_numbers(builder* b, const double* p) {
  const jgen_dynamics *d = b->plant->dynamics, *seen = b->seen;
  b->p = JARENA_ARRAY(&b->a, seen->np, double);
  if (!b->p) return jerr_memory(b->out->ctx);
  for (int i = 0; i < seen->np; i++) {
    b->p[i] = seen->p[i];
    for (int k = 0; p && k < d->np; k++) {
      if (d->live[k] == seen->live[i]) b->p[i] = p[k];
    }
  }
  return JO_OK;
}

static jo_status simulate(builder* b, const jplant_simulate_options* opt) {
  jscene_replay* r = b->out;
  jplant_simulate_options o = opt ? *opt : jplant_simulate_options_default();
  double t_end = isnan(o.t_end) ? b->m->simulation.t_end : o.t_end;
  r->t_start = b->m->simulation.t_start;
  o.output_step = r->dt = frame_step(b, t_end - r->t_start);
  o.progress = NULL;
  o.sample = keep_sample;
  o.user = b;
  jplant_result* run = NULL;
  jo_status status = jplant_simulate(r->ctx, b->plant, &o, &run);
  jplant_result_destroy(run);
  return status;
}

static jo_status build(builder* b, const jplant_simulate_options* opt) {
  JO_TRY(gather(b));
  b->model = *b->m;
  JO_TRY(name_points(b));
  JO_TRY(add_sensors(b));
  JO_TRY(write_equations(b));
  JO_TRY(take_numbers(b, opt ? opt->p : NULL));
  JO_TRY(simulate(b, opt));
  JO_TRY(take_frames(b));
  JO_TRY(shape_bodies(b));
  return jscene_replay_pave(b->out, b->m);
}

jo_status jscene_replay_create(jo_context* ctx, const jplant* plant,
                               const jplant_simulate_options* opt, jscene_replay** out) {
  *out = NULL;
  jscene_replay* r = jmem_resize(ctx, NULL, sizeof *r);
  if (!r) return jerr_memory(ctx);
  *r = (jscene_replay){.ctx = ctx};
  jarena_init(&r->arena, ctx);
  builder b = {.out = r, .m = plant->model, .plant = plant};
  jarena_init(&b.a, ctx);
  jo_status status = build(&b, opt);
  jmem_free(ctx, b.sample);
  jarena_free(&b.a);
  jgen_dynamics_destroy(b.seen);
  if (status < 0) {
    jscene_replay_destroy(r);
    return status;
  }
  *out = r;
  return status;
}

void jscene_replay_destroy(jscene_replay* r) {
  if (!r) return;
  jarena_free(&r->arena);
  jmem_free(r->ctx, r);
}
