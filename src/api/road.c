// SPDX-License-Identifier: Apache-2.0
// The road of a model by itself.
#include <math.h>

#include "api/handles.h"
#include "base/require.h"
#include "base/system/file.h"
#include "base/text/text.h"
#include "report/road.h"
#include "road/spectrum.h"
#include "scene/road.h"

#define MAX_PLACE 20000000
#define RESOLVED  1e-3  // of the distance of places, by which rounding may move one

jo_status jo_road_heights(jo_context* ctx, const jo_model* model, int n, const double* xy,
                          double* z) {
  JO_REQUIRE(ctx, model, xy, z);
  bool known;
  if (n < 0) return jerr_set(ctx, JO_ERR_ARGUMENT, "%d places", n);
  for (int i = 0; i < n; i++) {
    if (isfinite(xy[2 * i]) && isfinite(xy[2 * i + 1])) continue;
    return jerr_set(ctx, JO_ERR_ARGUMENT, "place %d is x = %g, y = %g; both must be finite", i + 1,
                    xy[2 * i], xy[2 * i + 1]);
  }
  JO_TRY(jscene_road_heights(ctx, model->model, n, xy, z, &known));
  for (int i = 0; known && i < n; i++) {
    if (isfinite(z[i])) continue;
    return jerr_set(ctx, JO_ERR_NUMERIC,
                    "%s: the height of the road is not finite at x = %g m, y = %g m; choose places "
                    "where it is, or correct the road",
                    model->model->path, xy[2 * i], xy[2 * i + 1]);
  }
  if (known) return JO_OK;
  return jerr_set(ctx, JO_ERR_MODEL,
                  "%s: the height of the road depends on the motion of the vehicle: it cannot be "
                  "told without it",
                  model->model->path);
}

int jo_road_spectrum(int n, double spacing, const double* z, jo_road_band* band) {
  return z && band ? jroad_spectrum(n, spacing, z, band) : 0;
}

// ---- files ---------------------------------------------------------------------------------------

jo_road_options jo_road_options_default(void) {
  return (jo_road_options){0.0, 100.0, 0.05, 0.75, -0.75};
}

typedef struct profile {
  jo_context* ctx;
  jarena arena;
  const jmodel* m;
  jo_road_options opt;
  int n;
  double *x, *z[2];  // left and right
} profile;

static jo_status sample(profile* p, const jo_model* model) {
  const jo_road_options* o = &p->opt;
  double n = floor((o->to - o->from) / o->step + 0.5) + 1.0;
  bool fine = isfinite(o->left) && isfinite(o->right) && o->step > 0.0 && n >= 2.0;
  if (!fine || !(n <= MAX_PLACE)) {
    return jerr_set(p->ctx, JO_ERR_ARGUMENT, "from %g to %g m by %g m is no road of 2 to %d places",
                    o->from, o->to, o->step, MAX_PLACE);
  }
  double far = fmax(fabs(o->from), fabs(o->to)), gap = nextafter(far, INFINITY) - far;
  if (!(gap <= RESOLVED * o->step)) {
    return jerr_set(p->ctx, JO_ERR_ARGUMENT,
                    "places %g m apart cannot be told apart at x = %g m, where numbers are %g m "
                    "apart; choose places nearer to 0, or a longer step",
                    o->step, fabs(o->from) == far ? o->from : o->to, gap);
  }
  p->n = (int)n;
  double* xy = JARENA_ARRAY(&p->arena, 2 * (size_t)p->n, double);
  p->x = JARENA_ARRAY(&p->arena, p->n, double);
  if (!xy || !p->x) return jerr_memory(p->ctx);
  for (int side = 0; side < 2; side++) {
    p->z[side] = JARENA_ARRAY(&p->arena, p->n, double);
    if (!p->z[side]) return jerr_memory(p->ctx);
    for (int i = 0; i < p->n; i++) {
      p->x[i] = xy[2 * i] = o->from + i * o->step;
      xy[2 * i + 1] = side == 0 ? o->left : o->right;
    }
    JO_TRY(jo_road_heights(p->ctx, model, p->n, xy, p->z[side]));
  }
  return JO_OK;
}

static void put_table(const profile* p, jtext* t) {
  jtext_put(t, "x [m],left [m],right [m]\n");
  for (int i = 0; i < p->n; i++) {
    jtext_printf(t, "%.15g,%.17g,%.17g\n", p->x[i], p->z[0][i], p->z[1][i]);
  }
}

static jo_status draw(profile* p, const char* path, jtext* t) {
  jreport_road road = {p->ctx, &p->arena, p->m->name, p->n, p->opt.step, p->x, {p->z[0], p->z[1]}};
  return jreport_road_draw(&road, jtext_ends_in(path, ".html"), t);
}

jo_status jo_road_write(jo_context* ctx, const jo_model* model, const jo_road_options* opt,
                        const char* path) {
  JO_REQUIRE(ctx, model, path);
  profile p = {.ctx = ctx, .m = model->model, .opt = opt ? *opt : jo_road_options_default()};
  bool is_table = jtext_ends_in(path, ".csv");
  if (!is_table && !jtext_ends_in(path, ".svg") && !jtext_ends_in(path, ".html")) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "'%s' does not end in .csv, .svg or .html", path);
  }
  jtext text;
  jtext_init(&text, ctx);
  jarena_init(&p.arena, ctx);
  jo_status status = jfile_check_output(ctx, path);
  if (status >= 0) status = sample(&p, model);
  if (status >= 0 && is_table) put_table(&p, &text);
  if (status >= 0 && !is_table) status = draw(&p, path, &text);
  if (status >= 0) {
    status = text.failed ? jerr_memory(ctx) : jfile_write(ctx, path, text.data, text.length);
  }
  jarena_free(&p.arena);
  jtext_free(&text);
  return status;
}
