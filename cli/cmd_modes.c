// SPDX-License-Identifier: Apache-2.0
// jounce modes: eigenvalues and mode shapes of the linearised equations.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "terminal.h"

#define SHAPE_PARTS 4     // coordinates named in the text, largest first
#define SHAPE_SMALL 0.05  // smaller parts are not worth a name

// The largest parts of a mode shape, with their phases against the largest.
static void print_shape(const jo_modes* m, int i) {
  double limit = INFINITY;
  int last = -1;
  for (int part = 0; part < SHAPE_PARTS; part++) {
    int best = -1;
    double size = SHAPE_SMALL, re, im;
    for (int k = 0; jo_modes_shape(m, i, k, NULL, &re, &im) >= 0; k++) {
      double s = hypot(re, im);
      bool after_last = s < limit || (s == limit && k > last);
      if (after_last && s > size) {
        size = s;
        best = k;
      }
    }
    if (best < 0) break;
    const char* name;
    jo_modes_shape(m, i, best, &name, &re, &im);
    printf("%s%s", part == 0 ? "  " : ", ", name);
    if (part > 0) {
      double phase = atan2(im, re) * 180.0 / 3.14159265358979323846;
      printf(" %.2f", hypot(re, im));
      if (fabs(phase) > 0.5) printf(" at %.0f deg", phase);
    }
    limit = size;
    last = best;
  }
  printf("\n");
}

// Derivatives of the modes that are no free motions, by each number.
static void print_derivatives(const jo_modes* m) {
  jo_quantity p;
  jo_mode k;
  jo_mode_derivative d;
  for (int w = 0; jo_modes_parameter_at(m, w, &p) >= 0; w++) {
    cli_heading("\nderivatives with respect to %s%s%s%s", p.name, p.unit[0] ? " [" : "", p.unit,
                p.unit[0] ? "]" : "");
    printf("  %12s %12s %14s %14s %14s %14s\n", "Re [1/s]", "Im [1/s]", "d Re", "d Im", "d f [Hz]",
           "d damping");
    for (int i = 0; jo_modes_at(m, i, &k) >= 0; i++) {
      if (k.is_rigid) continue;
      jo_modes_derivative_at(m, i, w, &d);
      printf("  %12.5g %12.5g", k.re, k.im);
      if (d.is_repeated) {
        printf("  none: another mode has the same eigenvalue\n");
      } else {
        printf(" %14.6g %14.6g %14.6g %14.6g\n", d.re, d.im, d.frequency, d.damping);
      }
    }
  }
}

static void print_text(const jo_model* model, const jo_modes* m) {
  int rigid = 0;
  jo_mode k;
  cli_heading("%s: modes at t = %g s", jo_model_name(model), jo_modes_time(m));
  if (jo_modes_at(m, 0, &k) < 0) {
    printf("  none: nothing moves by itself, there are neither degrees of freedom nor states\n");
    return;
  }
  printf("  %12s %12s %11s %9s  shape\n", "Re [1/s]", "Im [1/s]", "f [Hz]", "damping");
  for (int i = 0; jo_modes_at(m, i, &k) >= 0; i++) {
    rigid += k.is_rigid;
    if (k.is_rigid) continue;
    printf("  %12.5g %12.5g %11.5g %9.4f", k.re, k.im, k.frequency, k.damping);
    print_shape(m, i);
  }
  if (rigid > 0) printf("  and %d that are zero: free motions\n", rigid);
  print_derivatives(m);
}

static void json_shape(cli_json* j, const jo_modes* m, int i) {
  const char* name;
  double re, im;
  cli_json_object(j, "shape");
  for (int k = 0; jo_modes_shape(m, i, k, &name, &re, &im) >= 0; k++) {
    cli_json_flat_list(j, name);
    cli_json_number(j, NULL, re);
    cli_json_number(j, NULL, im);
    cli_json_end(j);
  }
  cli_json_end(j);
}

static void json_derivatives(cli_json* j, const jo_modes* m, int i) {
  jo_quantity p;
  jo_mode_derivative d;
  if (jo_modes_parameter_count(m) == 0) return;
  cli_json_object(j, "derivatives");
  for (int k = 0; jo_modes_parameter_at(m, k, &p) >= 0; k++) {
    jo_modes_derivative_at(m, i, k, &d);
    cli_json_flat_object(j, p.name);
    cli_json_number(j, "re", d.re);
    cli_json_number(j, "im", d.im);
    cli_json_number(j, "frequency", d.frequency);
    cli_json_number(j, "damping", d.damping);
    cli_json_end(j);
  }
  cli_json_end(j);
}

static void print_json(const jo_model* model, const jo_modes* m) {
  jo_mode k;
  cli_json j = {0};
  cli_json_object(&j, NULL);
  cli_json_text(&j, "model", jo_model_name(model));
  cli_json_text(&j, "sha256", jo_model_sha256(model));
  cli_json_text(&j, "settings", jo_model_settings(model));
  cli_json_number(&j, "t", jo_modes_time(m));
  cli_json_list(&j, "modes");
  for (int i = 0; jo_modes_at(m, i, &k) >= 0; i++) {
    cli_json_object(&j, NULL);
    cli_json_number(&j, "re", k.re);
    cli_json_number(&j, "im", k.im);
    cli_json_number(&j, "frequency", k.frequency);
    cli_json_number(&j, "damping", k.damping);
    cli_json_bool(&j, "rigid", k.is_rigid);
    json_shape(&j, m, i);
    json_derivatives(&j, m, i);
    cli_json_end(&j);
  }
  cli_json_end(&j);
  cli_json_end(&j);
}

static bool read_place(const char* at, jo_modes_options* opt) {
  if (!at) return true;
  opt->at_static = strcmp(at, "static") == 0;
  if (opt->at_static) return true;
  char* end;
  opt->at_s = strtod(at, &end);
  return end != at && *end == '\0' && isfinite(opt->at_s);
}

static cli_exit run(cli* c, int argc, char** argv) {
  const char *at = NULL, *wrt = NULL;
  const cli_option option[] = {
      {"--at", "T|static", "about the motion at time T [s], or about static equilibrium",
       .text = &at},
      {"--wrt", "LIST", "also derivatives with respect to parameters, paths, path.*, or all",
       .text = &wrt}};
  cli_exit code = cli_parse(c, &cli_modes, option, 2, argc, argv);
  if (code != CLI_OK) return code;
  jo_modes_options opt = jo_modes_options_default();
  if (!read_place(at, &opt)) {
    return cli_misuse("modes", "--at takes a time in seconds or 'static', not '%s'", at);
  }
  cli_list list;
  code = cli_words("modes", "--wrt", wrt, &list);
  opt.name = list.word;
  opt.nname = list.n;
  jo_model* model = NULL;
  jo_modes* m = NULL;
  if (code == CLI_OK) code = cli_load(c, &model);
  if (code == CLI_OK) {
    jo_status status = jo_modes_create(c->ctx, model, &opt, &m);
    cli_tell(c);
    if (status < 0) code = CLI_FAIL;
  }
  if (code == CLI_OK) (c->json ? print_json : print_text)(model, m);
  jo_modes_destroy(m);
  jo_model_destroy(model);
  cli_list_free(&list);
  return code;
}

const cli_command cli_modes = {"modes", "FILE", 1, "find eigenvalues and mode shapes", run};
