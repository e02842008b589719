// SPDX-License-Identifier: Apache-2.0
// The road of a model by itself.
#include <math.h>
#include <string.h>

#include "api/handles.h"
#include "base/require.h"
#include "base/system/file.h"
#include "base/text/text.h"
#include "report/plot/panels.h"
#include "scene/road.h"

#define PI        3.14159265358979323846
#define MAX_PLACE 20000000
#define SMOOTHEST 16e-6  // of class A at 0.1 cycles/m [m^3]
#define SEGMENT   4096
#define LEAST     64    // heights that a spectrum is made of
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

// ---- spectrum ------------------------------------------------------------------------------------

// In place, n a power of two.
static void transform(int n, double* re, double* im) {
  for (int i = 1, j = 0; i < n; i++) {
    int bit = n >> 1;
    for (; j & bit; bit >>= 1) {
      j ^= bit;
    }
    j ^= bit;
    if (i < j) {
      double r = re[i], m = im[i];
      re[i] = re[j], im[i] = im[j];
      re[j] = r, im[j] = m;
    }
  }
  for (int half = 1; half < n; half *= 2) {
    for (int k = 0; k < half; k++) {
      double c = cos(PI * k / half), s = -sin(PI * k / half);
      for (int i = k; i < n; i += 2 * half) {
        double r = re[i + half] * c - im[i + half] * s, m = re[i + half] * s + im[i + half] * c;
        re[i + half] = re[i] - r, im[i + half] = im[i] - m;
        re[i] += r, im[i] += m;
      }
    }
  }
}

// Density over wave numbers k / (n spacing), k < n/2, of overlapping pieces with von Hann's window, each without its mean.
static void estimate(int count, double spacing, const double* z, int n, double* density) {
  static const double window_power = 0.375;
  double re[SEGMENT], im[SEGMENT];
  int pieces = 0;
  memset(density, 0, (size_t)(n / 2) * sizeof *density);
  for (int from = 0; from + n <= count; from += n / 2, pieces++) {
    double mean = 0.0;
    for (int i = 0; i < n; i++) {
      mean += z[from + i] / n;
    }
    for (int i = 0; i < n; i++) {
      re[i] = (z[from + i] - mean) * 0.5 * (1.0 - cos(2.0 * PI * i / n));
      im[i] = 0.0;
    }
    transform(n, re, im);
    for (int k = 0; k < n / 2; k++) {
      density[k] += 2.0 * spacing / (n * window_power) * (re[k] * re[k] + im[k] * im[k]);
    }
  }
  for (int k = 0; k < n / 2; k++) {
    density[k] /= pieces;
  }
}

// ISO 8608: limits of the classes are twice their geometric means, which are four times those of the class before
static int class_of(double density, double smooth) {
  int class_ = 0;
  for (double limit = 2.0 * smooth; density > limit && class_ < 7; limit *= 4.0) {
    class_++;
  }
  return class_;
}

int jo_road_spectrum(int n, double spacing, const double* z, jo_road_band* band) {
  double density[SEGMENT / 2];
  int length = SEGMENT, count = 0;
  if (!z || !band || n < LEAST || !(spacing > 0.0) || !isfinite(spacing)) return 0;
  for (int i = 0; i < n; i++) {
    if (!isfinite(z[i])) return 0;
  }
  while (length > n) {
    length /= 2;
  }
  estimate(n, spacing, z, length, density);
  for (int k = 4; 2 * k <= length / 2 && count < JO_ROAD_BANDS; k *= 2) {
    double sum = 0.0, step = 1.0 / (length * spacing), middle = k * sqrt(2.0) * step;
    for (int i = k; i < 2 * k; i++) {
      sum += density[i];
    }
    double mean = sum / k;
    // of a density that falls as n^-2 the mean over an octave from a to 2 a is that at its middle
    double smooth = SMOOTHEST * 0.01 / (middle * middle);
    if (!isfinite(mean) || !(smooth > 0.0) || !isfinite(smooth)) return 0;
    band[count++] = (jo_road_band){k * step, 2 * k * step, mean, smooth, class_of(mean, smooth)};
  }
  return count;
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

enum { MOST_POINTS = 4000, NCLASS = 8, NSERIES = 2 + NCLASS };
enum { HEIGHTS, SPECTRUM, NPLOT };

static const char* const side_name[] = {"left", "right"};

// What is drawn of long roads: every k-th place.
static jo_status draw_heights(profile* p, jreport_plot* plot) {
  jreport_series* s = JARENA_ARRAY(&p->arena, 2, jreport_series);
  int every = 1 + (p->n - 1) / MOST_POINTS, n = 1 + (p->n - 1) / every;
  double* x = JARENA_ARRAY(&p->arena, n, double);
  if (!s || !x) return jerr_memory(p->ctx);
  for (int side = 0; side < 2; side++) {
    double* y = JARENA_ARRAY(&p->arena, n, double);
    if (!y) return jerr_memory(p->ctx);
    for (int i = 0; i < n; i++) {
      x[i] = p->x[i * every];
      y[i] = 1000.0 * p->z[side][i * every];
    }
    s[side] = (jreport_series){side_name[side], x, y, n, false};
  }
  plot->series = s;
  plot->nseries = 2;
  return JO_OK;
}

// Bands of both lines, and limits of the classes.
static jo_status draw_spectrum(profile* p, jreport_plot* plot) {
  static const char* const limit[] = {"A|B", "B|C", "C|D", "D|E", "E|F", "F|G", "G|H"};
  jreport_series* s = JARENA_ARRAY(&p->arena, NSERIES, jreport_series);
  jo_road_band band[JO_ROAD_BANDS];
  if (!s) return jerr_memory(p->ctx);
  int count = 0, worst = 0, best = 7;
  for (int side = 0; side < 2; side++) {
    count = jo_road_spectrum(p->n, p->opt.step, p->z[side], band);
    double* x = JARENA_ARRAY(&p->arena, JO_ROAD_BANDS, double);
    double* y = JARENA_ARRAY(&p->arena, JO_ROAD_BANDS, double);
    if (!x || !y) return jerr_memory(p->ctx);
    for (int i = 0; i < count; i++) {
      x[i] = sqrt(band[i].low * band[i].high);
      y[i] = 1e6 * band[i].density;
      if (band[i].high > 2.83 || band[i].low < 0.011) continue;
      if (band[i].class_ > worst) worst = band[i].class_;
      if (band[i].class_ < best) best = band[i].class_;
    }
    s[side] = (jreport_series){side_name[side], x, y, count, true};
  }
  plot->series = s;
  plot->nseries = 2;
  for (int k = best > 0 ? best - 1 : 0; count > 0 && k <= worst && k < NCLASS - 1; k++) {
    double* x = JARENA_ARRAY(&p->arena, 2, double);
    double* y = JARENA_ARRAY(&p->arena, 2, double);
    if (!x || !y) return jerr_memory(p->ctx);
    x[0] = 0.011, x[1] = 2.83;
    for (int i = 0; i < 2; i++) {
      y[i] = 1e6 * 2.0 * SMOOTHEST * (double)(1 << (2 * k)) * 0.01 / (x[i] * x[i]);
    }
    s[plot->nseries++] = (jreport_series){limit[k], x, y, 2, false};
  }
  return JO_OK;
}

static jo_status draw(profile* p, const char* path, jtext* t) {
  jreport_plot plot[NPLOT] = {
      {.title = "Heights", .subtitle = "", .x_label = "x [m]", .y_label = "z [mm]"},
      {.title = "Spectral density",
       .subtitle = "octave bands, and limits of the classes of ISO 8608",
       .x_label = "wave number [1/m]",
       .y_label = "G [1e-6 m^3]",
       .log_x = true,
       .log_y = true}};
  JO_TRY(draw_heights(p, &plot[HEIGHTS]));
  JO_TRY(draw_spectrum(p, &plot[SPECTRUM]));
  if (jtext_ends_in(path, ".html")) {
    jreport_panels_html(t, p->m->name[0] ? p->m->name : "road", "the road of the model", plot,
                        NPLOT);
  } else {
    jreport_panels_svg(t, plot, NPLOT);
  }
  return JO_OK;
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
