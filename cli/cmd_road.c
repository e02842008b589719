// SPDX-License-Identifier: Apache-2.0
// jounce road: the road of a model: how rough it is, as a table, as a picture.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "json.h"
#include "terminal.h"

#define LEAST_PLACES 64    // of a spectrum
#define RESOLVED     1e-3  // of the distance of places, by which rounding may move one

typedef struct lines {
  int n;
  double* z[2];  // left and right
  int nband;
  jo_road_band band[2][JO_ROAD_BANDS];
  double low[2], high[2];
} lines;

static const char* const side_name[] = {"left", "right"};

static cli_exit measure(cli* c, const jo_model* model, const jo_road_options* o, lines* l) {
  double n = floor((o->to - o->from) / o->step + 0.5) + 1.0;
  if (!(n >= 2.0 && n <= 2e7)) {
    return cli_misuse("road", "--from, --to and --step need 2 to 20 million places");
  }
  double far = fmax(fabs(o->from), fabs(o->to)), gap = nextafter(far, INFINITY) - far;
  if (!(gap <= RESOLVED * o->step)) {
    return cli_misuse("road",
                      "places %g m apart cannot be told apart at x = %g m, where numbers are %g m "
                      "apart; choose --from and --to nearer to 0, or a longer --step",
                      o->step, fabs(o->from) == far ? o->from : o->to, gap);
  }
  l->n = (int)n;
  double* xy = calloc(2 * (size_t)l->n, sizeof *xy);
  jo_status status = JO_OK;
  for (int side = 0; side < 2 && xy && status >= 0; side++) {
    double* z = l->z[side] = calloc((size_t)l->n, sizeof *z);
    for (int i = 0; z && i < l->n; i++) {
      xy[2 * i] = o->from + i * o->step;
      xy[2 * i + 1] = side == 0 ? o->left : o->right;
    }
    if (!z) break;
    status = jo_road_heights(c->ctx, model, l->n, xy, z);
    if (status < 0) break;
    l->nband = jo_road_spectrum(l->n, o->step, z, l->band[side]);
    if (l->nband == 0 && l->n >= LEAST_PLACES) {
      free(xy);
      return cli_misuse("road", "heights or --step are too large or too small for a spectrum");
    }
    l->low[side] = l->high[side] = z[0];
    for (int i = 0; i < l->n; i++) {
      l->low[side] = fmin(l->low[side], z[i]);
      l->high[side] = fmax(l->high[side], z[i]);
    }
  }
  free(xy);
  if (!xy || !l->z[0] || (status >= 0 && !l->z[1])) return cli_no_memory();
  return status < 0 ? CLI_FAIL : CLI_OK;
}

static void print_text(const jo_road_options* o, const lines* l, const char* path) {
  cli_heading("%g to %g m, every %g m", o->from, o->to, o->step);
  for (int side = 0; side < 2; side++) {
    printf("  %-5s at y = %6.3f m: %10.3f to %.3f mm\n", side_name[side],
           side == 0 ? o->left : o->right, 1e3 * l->low[side] + 0.0, 1e3 * l->high[side] + 0.0);
  }
  if (l->nband > 0) {
    cli_heading("\ndisplacement spectral density, octave bands [1e-6 m^3] and classes of ISO 8608");
    printf("  %-21s %14s    %14s\n", "wave numbers [1/m]", "left", "right");
  }
  for (int i = 0; i < l->nband; i++) {
    printf("  %9.4f ... %7.4f", l->band[0][i].low, l->band[0][i].high);
    for (int side = 0; side < 2; side++) {
      const jo_road_band* b = &l->band[side][i];
      printf(" %14.6g %c ", 1e6 * b->density, 'A' + b->class_);
    }
    printf("\n");
  }
  if (path) printf("\nwritten to %s\n", path);
}

static void print_json(cli* c, const jo_road_options* o, const lines* l, const char* path) {
  cli_json j = {0};
  cli_json_object(&j, NULL);
  cli_json_text(&j, "file", c->argument[0]);
  cli_json_number(&j, "from", o->from);
  cli_json_number(&j, "to", o->to);
  cli_json_number(&j, "step", o->step);
  for (int side = 0; side < 2; side++) {
    cli_json_object(&j, side_name[side]);
    cli_json_number(&j, "y", side == 0 ? o->left : o->right);
    cli_json_number(&j, "lowest", l->low[side]);
    cli_json_number(&j, "highest", l->high[side]);
    cli_json_list(&j, "bands");
    for (int i = 0; i < l->nband; i++) {
      const jo_road_band* b = &l->band[side][i];
      const char class_[2] = {(char)('A' + b->class_), '\0'};
      cli_json_object(&j, NULL);
      cli_json_number(&j, "low", b->low);
      cli_json_number(&j, "high", b->high);
      cli_json_number(&j, "density", b->density);
      cli_json_text(&j, "class", class_);
      cli_json_end(&j);
    }
    cli_json_end(&j);
    cli_json_end(&j);
  }
  if (path) cli_json_text(&j, "output", path);
  cli_json_end(&j);
}

static cli_exit run(cli* c, int argc, char** argv) {
  const char* path = NULL;
  jo_road_options opt = jo_road_options_default();
  const cli_option option[] = {
      {"-o", "FILE", "heights (.csv) or pictures (.svg, .html)", .file = &path,
       .ends = ".csv .svg .html"},
      {"--from", "X", "where to begin [m], 0 unless given", .number = &opt.from},
      {"--to", "X", "where to end [m], 100 unless given", .number = &opt.to},
      {"--step", "DX", "distance of heights [m], 0.05 unless given", .number = &opt.step},
      {"--left", "Y", "left line [m], 0.75 unless given", .number = &opt.left},
      {"--right", "Y", "right line [m], -0.75 unless given", .number = &opt.right},
  };
  cli_exit code = cli_parse(c, &cli_road, option, sizeof option / sizeof *option, argc, argv);
  if (code != CLI_OK) return code;
  jo_model* model = NULL;
  lines* l = calloc(1, sizeof *l);
  if (!l) return cli_no_memory();
  code = cli_load(c, &model);
  if (code == CLI_OK) code = measure(c, model, &opt, l);
  if (code == CLI_OK && path && jo_road_write(c->ctx, model, &opt, path) < 0) code = CLI_FAIL;
  cli_tell(c);
  if (code == CLI_OK && c->json) print_json(c, &opt, l, path);
  if (code == CLI_OK && !c->json) print_text(&opt, l, path);
  free(l->z[0]);
  free(l->z[1]);
  free(l);
  jo_model_destroy(model);
  return code;
}

const cli_command cli_road = {"road", "FILE", 1, "heights and roughness of the road of a model",
                              run};
