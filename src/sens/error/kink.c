// SPDX-License-Identifier: Apache-2.0
//   (S47)  |t_a - t_b| <= 1e-13 max(1, |t|) + 1e-12 u |dt_a/dp - dt_b/dp|,   u |dt_a/dp - dt_b/dp| > 1e-12 s
// a, b: two events with times of their own, or an event and the end of the run. Two events count where it matters which comes
// first: where f changes by other amounts in the other order, or both reset states.
#include "sens/error/kink.h"

#include <math.h>
#include <string.h>

#include "sens/sibling.h"

#define RESOLVED 1e-13  // times max(1, |t|) [s]: as instants are located
#define NEAR     1e-12  // of a number's size: its rounding
#define FELT     1e-12  // by which a change of the number by its size must move two events apart [s]
#define SAME     1e-6   // of their slopes: less is their error
#define MOST     64     // numbers of a walk that tangents are made for
#define ADDS     1e-9   // of what f changes by: rounding

typedef struct kinks {
  jplant_work* run;
  const jsens_record* record;
  jsens_result* r;
  const jsens_event* event;
  int n;
  double* f[4];  // slopes without events, with the first, the second, both (ny)
} kinks;

static bool is_close(double a, double b) {
  return fabs(a - b) <= RESOLVED * fmax(1.0, fabs(a));
}

// Does the record have two events at one time, or one at the end, that do not follow from each other?
static bool has_candidates(const jsens_record* record) {
  double last = NAN;
  for (int i = 0; i < record->nentry; i++) {
    if (jsens_record_is_step(record, i)) continue;
    jsens_entry e = jsens_record_entry(record, i);
    if (e.what->is_change || e.what->nflip == 0) continue;
    bool is_alone = e.what->nflip == 1 && !is_close(e.t, last);
    if (!e.what->ends && is_close(e.t, record->t_end)) return true;
    if (!e.what->follows && !is_alone) return true;
    last = e.t;
  }
  return false;
}

static void mark(kinks* k, int number, const jsens_event* a, int other) {
  jsens_result* r = k->r;
  if (r->brink[number] >= 0 || r->tips[number] >= 0) return;
  r->brink[number] = a->which;
  r->brink_at[number] = a->t;
  r->brink_with[number] = other;
}

// (S47) whether number j moves events with these slopes apart
static bool is_apart(const kinks* k, int j, double a, double b, double between) {
  double slope = fabs(a - b), moved = slope * k->r->unit[j];
  return moved > FELT && slope > SAME * fmax(fabs(a), fabs(b)) &&
         between <= NEAR * moved + RESOLVED;
}

// An event with a time of its own.
static bool is_own(const jsens_event* v) {
  return v->dt && v->rate != 0.0;
}

// ---- the order of two ------------------------------------------------------------------------------

static void flip(kinks* k, const jsens_entry* e, const jsens_event* v) {
  bool is_whole = e->what->nreset > 0 || e->what->is_impulse;
  for (int i = 0; i < (is_whole ? e->what->nflip : 1); i++) {
    int which = is_whole ? k->record->flip[e->what->flip + i] : v->which;
    k->run->mode[which] = 1.0 - k->run->mode[which];
  }
}

// Whether what both change of f is the sum of what each does.
static bool adds_up(const kinks* k, int ny) {
  for (int i = 0; i < ny; i++) {
    double a = k->f[1][i] - k->f[0][i], b = k->f[3][i] - k->f[2][i];
    double size = fabs(k->f[0][i]) + fabs(k->f[1][i]) + fabs(k->f[2][i]) + fabs(k->f[3][i]);
    if (isfinite(size) && fabs(a - b) > ADDS * size) return false;
  }
  return true;
}

static jo_status order_matters(kinks* k, const jsens_event* a, const jsens_event* b, bool* out) {
  jsens_entry ea = jsens_record_entry(k->record, a->entry);
  jsens_entry eb = jsens_record_entry(k->record, b->entry);
  bool a_jumps = ea.what->nreset > 0 || ea.what->is_impulse;
  bool b_jumps = eb.what->nreset > 0 || eb.what->is_impulse;
  *out = true;
  if (ea.what->ends || eb.what->ends || (a_jumps && b_jumps)) return JO_OK;
  JO_TRY(jplant_work_show(k->run, k->record->plant[ea.epoch]));
  const jsolve_system* s = &k->run->system;
  const double* behind = a_jumps ? ea.after : b_jumps ? eb.after : ea.y;
  const double* y[4] = {ea.y, a_jumps ? behind : ea.y, b_jumps ? behind : ea.y, behind};
  for (int i = 0; i < 4; i++) {
    memcpy(k->run->mode, jsens_record_mode(k->record, ea.epoch),
           (size_t)k->record->nswitch * sizeof *k->run->mode);
    if (i & 1) flip(k, &ea, a);
    if (i & 2) flip(k, &eb, b);
    s->rhs(s->user, a->t, y[i], k->f[i]);
  }
  *out = !adds_up(k, k->record->ny);
  return JO_OK;
}

static jo_status compare(kinks* k, const jsens_event* a, const jsens_event* b) {
  bool is_known = false, matters = false;
  for (int j = 0; j < k->r->nw; j++) {
    if (!is_apart(k, j, a->dt[j], b->dt[j], fabs(a->t - b->t))) continue;
    if (!is_known) JO_TRY(order_matters(k, a, b, &matters));
    is_known = true;
    if (matters) mark(k, j, a, b->which);
  }
  return JO_OK;
}

// ---- the end ---------------------------------------------------------------------------------------

static bool ends(const kinks* k, const jsens_event* v) {
  return jsens_record_entry(k->record, v->entry).what->ends;
}

// An event at the end of a run that no condition ends: a little later there is none.
static void compare_with_end(kinks* k, const jsens_event* v) {
  if (!v->jumps || !is_close(v->t, k->record->t_end)) return;
  for (int j = 0; j < k->r->nw; j++) {
    if (is_apart(k, j, v->dt[j], 0.0, fabs(v->t - k->record->t_end))) mark(k, j, v, -1);
  }
}

static jo_status look(kinks* k) {
  bool has_ended = false;
  for (int i = 0; i < k->n; i++) {
    has_ended = has_ended || ends(k, &k->event[i]);
  }
  for (int i = 0; i < k->n; i++) {
    const jsens_event* a = &k->event[i];
    if (!is_own(a)) continue;
    if (!has_ended) compare_with_end(k, a);
    for (int n = i + 1; n < k->n && is_close(a->t, k->event[n].t); n++) {
      const jsens_event* b = &k->event[n];
      if (is_own(b) && b->which != a->which) JO_TRY(compare(k, a, b));
    }
  }
  return JO_OK;
}

// By the direct method, for the times of events alone.
static jo_status walk_direct(const jsens* s, const jsens_result* of, jsens_result* r) {
  jsens_result* direct;
  int said = jo_context_diagnostic_count(r->ctx);
  jo_status status = jsens_walk_events(r->ctx, s, of, JSENS_DIRECT, false, &direct);
  for (int j = 0; status >= 0 && j < r->nw; j++) {
    if (r->brink[j] >= 0 || direct->brink[j] < 0) continue;
    r->brink[j] = direct->brink[j];
    r->brink_at[j] = direct->brink_at[j];
    r->brink_with[j] = direct->brink_with[j];
  }
  if (status >= 0) jsens_result_destroy(direct);
  if (status >= 0 || status == JO_ERR_MEMORY) return status;
  jerr_forget(r->ctx, said);  // whoever asks for the direct method is told
  return JO_OK;
}

// Tangents that were not prepared are interpreted: they are wanted for one walk. Of many numbers that takes too long.
static jo_status walk_for_times(const jsens* s, const jsens_result* of, jsens_result* r) {
  if (s->tangents) return walk_direct(s, of, r);
  if (r->nw > MOST) return JO_OK;
  jsens_kernel_options kernels = {.direct = true, .kernel = jkernel_options_default()};
  kernels.kernel.backend = JKERNEL_INTERP;
  kernels.lanes = jsens_lanes_for(r->nw, jkernel_most_lanes(JKERNEL_INTERP));
  jsens direct = *s;
  direct.own = NULL;
  direct.siblings = NULL;
  jo_status status = jsens_kernels_create(r->ctx, s->plant, &kernels, &direct.own);
  if (status >= 0) {
    direct.tangents = direct.own->tangents;
    direct.siblings = jsens_kernel_shelf_create(r->ctx, &kernels);
    status = direct.siblings ? walk_direct(&direct, of, r) : jerr_memory(r->ctx);
  }
  jsens_kernel_shelf_destroy(direct.siblings);
  jsens_kernels_destroy(direct.own);
  return status;
}

jo_status jsens_kinks(const jsens* s, jplant_work* run, const jsens_result* of, jsens_result* r) {
  const jsens_record* record = of->record;
  if (!record || !has_candidates(record)) return JO_OK;
  if (r->method != JSENS_DIRECT) {
    return walk_for_times(s, of, r);
  }
  kinks k = {.run = run, .record = record, .r = r, .event = r->event, .n = r->nevent};
  jarena a;
  jarena_init(&a, r->ctx);
  bool ok = true;
  for (int i = 0; i < 4; i++) {
    k.f[i] = JARENA_ARRAY(&a, record->ny, double);
    ok = ok && k.f[i];
  }
  jo_status status = ok ? look(&k) : jerr_memory(r->ctx);
  jarena_free(&a);
  return status;
}
