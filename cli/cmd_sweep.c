// SPDX-License-Identifier: Apache-2.0
// jounce sweep: objectives and their derivatives over a range of parameters. A sweep that writes a
// file keeps a journal beside it, so that Ctrl-C or a kill lose no finished point.
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "failure.h"
#include "json.h"
#include "sweep_laws.h"
#include "sweep_statistics.h"
#include "team.h"
#include "terminal.h"

#define MAX_ROWS 60       // printed as text; JSON and files have all
#define LOG_TIME 60.0     // between two lines of progress where there is no terminal [s]
#define MANY     50000.0  // points that stay in the journal where the file can take them from there

typedef struct job {
  jo_sweep_options opt;
  cli_laws laws;
  cli_list wanted;  // objectives
  const char* path;
  char* journal;
  cli_progress bar;
  jo_sweep_info begun;  // what was there when it began
  cli_team team;
  cli_share* share;  // of the processes of the team, by rank; NULL: not known
  bool is_stopped;
  bool has_statistics, fused, single;
  bool has_begun;
  bool is_quiet;
  double start, logged, wall_s;  // [s]; when it began, and of the last line of the log since then
} job;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- the command line ----------------------------------------------------------------------------

static void release(job* j) {
  cli_laws_free(&j->laws);
  cli_list_free(&j->wanted);
  free(j->journal);
  free(j->share);
}

static bool take_count(double x, double least, int* out) {
  if (isnan(x)) return true;
  if (x != floor(x) || x < least || x > 1e8) return false;
  *out = (int)x;
  return true;
}

static cli_exit name_journal(job* j) {
  if (!j->path) return CLI_OK;
  size_t size = strlen(j->path) + sizeof ".journal";
  j->journal = malloc(size);
  if (!j->journal) return cli_no_memory();
  snprintf(j->journal, size, "%s.journal", j->path);
  j->opt.journal = j->journal;
  return CLI_OK;
}

typedef struct wishes {
  const char *wrt, *objective, *method, *events, *sampling, *device;
  double nsample, seed, workers;
  bool grid, restart, indices, stream, batch;
} wishes;

// How many points there will be.
static double count_points(const job* j) {
  double n = j->opt.nsample;
  if (j->opt.nsample > 0) return j->opt.indices ? n * (j->opt.nrange + 2) : n;
  n = 1.0;
  for (int i = 0; i < j->opt.nrange; i++) {
    n *= j->laws.range[i].n;
  }
  return n;
}

static const char* sampling_name(int i) {
  static const char* const name[] = {"halton", "sobol", "lhs", "random", NULL};
  return name[i];
}

static const char* device_name(int i) {
  static const char* const name[] = {"cpu", "cuda", "auto", NULL};
  return name[i];
}

// Points side by side, where somebody asks for that or names a device for it.
static void set_batch(job* j, const wishes* w) {
  j->opt.batch = w->batch || w->device;
  j->opt.fused = j->fused;
  j->opt.single = j->single;
  for (int i = 0; w->device && device_name(i); i++) {
    if (strcmp(w->device, device_name(i)) == 0) j->opt.device = (jo_batch_device)i;
  }
  if (j->opt.batch && strcmp(w->method, "auto") == 0) j->opt.method = JO_SENS_DIRECT;
}

// Files of other kinds are written in one go.
static bool is_streamable(const job* j) {
  return j->path && cli_ends_in(j->path, ".h5 .hdf5");
}

static cli_exit read_laws(job* j, const wishes* w) {
  cli_exit code = cli_laws_read(&j->laws, w->wrt, j->opt.nsample > 0);
  j->opt.range = j->laws.range;
  j->opt.nrange = j->laws.params.n;
  j->opt.correlation = j->laws.correlation;
  j->opt.ncorrelation = j->laws.correlations.n;
  return code;
}

static cli_exit set_options(job* j, const wishes* w) {
  if (j->laws.params.n < 1) return cli_misuse("sweep", "no parameter to vary: give --param");
  if (!take_count(w->nsample, 1, &j->opt.nsample))
    return cli_misuse("sweep", "--sample needs a whole number of points, 1 to 100000000");
  if (!take_count(w->workers, 1, &j->opt.workers))
    return cli_misuse("sweep", "--workers needs a whole number of threads, 1 or more");
  double seed = isnan(w->seed) ? 0.0 : w->seed;
  if (!(seed == floor(seed) && seed >= 0.0 && seed < 0x1p53))
    return cli_misuse("sweep", "--seed needs a whole number, not negative");
  if (w->stream && !is_streamable(j)) return cli_misuse("sweep", "--stream needs -o FILE.h5");
  j->opt.seed = (uint64_t)seed;
  if (strcmp(w->method, "direct") == 0) j->opt.method = JO_SENS_DIRECT;
  if (strcmp(w->method, "adjoint") == 0) j->opt.method = JO_SENS_ADJOINT;
  j->opt.frozen = strcmp(w->events, "frozen") == 0;
  set_batch(j, w);
  j->opt.restart = w->restart;
  j->opt.indices = w->indices;
  j->has_statistics = j->has_statistics || w->indices;
  for (int i = 0; sampling_name(i); i++) {
    if (strcmp(w->sampling, sampling_name(i)) == 0) j->opt.sampling = (jo_sampling)i;
  }
  cli_exit code = cli_words("sweep", "--objective", w->objective, &j->wanted);
  if (code == CLI_OK) code = read_laws(j, w);
  if (code == CLI_OK) code = name_journal(j);
  if (code == CLI_OK) j->opt.stream = w->stream || (is_streamable(j) && count_points(j) > MANY);
  return code;
}

// ---- running -------------------------------------------------------------------------------------

// A handler can speak to the program through nothing else. Threads of libraries may take the
// signal, so that holding it back and looking for it does not do.
static volatile sig_atomic_t stop_asked = 0;

static void ask_to_stop(int which) {
  (void)which;
  stop_asked = 1;
}

// The second signal finds no handler and ends the process, which the journal survives.
static void hear(int which, struct sigaction* before) {
  struct sigaction action = {.sa_flags = (int)SA_RESETHAND};
  action.sa_handler = ask_to_stop;
  sigemptyset(&action.sa_mask);
  // who started us may want the signal ignored
  if (sigaction(which, NULL, before) == 0 && before->sa_handler != SIG_IGN) {
    sigaction(which, &action, NULL);
  }
}

static void hear_no_more(const struct sigaction before[2]) {
  sigaction(SIGINT, &before[0], NULL);
  sigaction(SIGTERM, &before[1], NULL);
}

// Where there is no bar, in the log of a long job.
static void log_progress(job* j, int done, double fraction) {
  double passed = now() - j->start;
  if (j->is_quiet || j->bar.is_on || passed - j->logged < LOG_TIME || !(fraction > 0.0)) return;
  j->logged = passed;
  fprintf(stderr, "%d of %d points, %.0f s left\n", done, j->begun.points,
          passed * (1.0 - fraction) / fraction);
}

static int on_progress(void* user, int done) {
  job* j = user;
  int before = j->begun.resumed, left = j->begun.points - before;
  double fraction = left > 0 ? (double)(done - before) / left : 1.0;
  cli_progress_show(&j->bar, fraction);
  log_progress(j, done, fraction);
  if (!j->is_stopped && stop_asked) {
    j->is_stopped = true;
    cli_progress_end(&j->bar);
    j->bar.is_on = false;
    fprintf(stderr, "stopping when the points under way are done; once more to stop at once\n");
  }
  return !j->is_stopped;
}

// Every process of a team hears the signal; that there are no more points the first one tells the others.
static jo_status run_heard(jo_sweep* sweep) {
  struct sigaction before[2];
  hear(SIGINT, &before[0]);
  hear(SIGTERM, &before[1]);
  jo_status status = jo_sweep_run(sweep);
  hear_no_more(before);
  return status;
}

static jo_status compute(cli* c, job* j, jo_sweep* sweep) {
  j->begun = jo_sweep_inspect(sweep);
  if (j->begun.resumed > 0 && !c->quiet) {
    fprintf(stderr, "note: going on from %s: %d of %d points are done\n", j->journal,
            j->begun.resumed, j->begun.points);
  }
  j->bar = cli_progress_begin(!c->quiet);
  j->is_quiet = c->quiet;
  j->start = now();
  jo_status status = run_heard(sweep);
  j->wall_s = now() - j->start;
  cli_progress_end(&j->bar);
  jo_sweep_info info = jo_sweep_inspect(sweep);
  if (status >= 0) {
    j->share = cli_team_shares(&j->team, (cli_share){info.computed, info.waited_s});
  }
  return status;
}

// ---- text ----------------------------------------------------------------------------------------

static int column_width(const char* name) {
  int n = (int)strlen(name);
  return n > 14 ? n : 14;
}

// Whether derivatives are missing. Messages tell of values in doubt, too, which the command has warned of.
static bool lacks_derivatives(const jo_sweep_info* info, const jo_sweep_point* p) {
  bool lacks = false;
  for (int k = 0; *p->message && k < info->objectives * info->wrt; k++) {
    lacks = lacks || isnan(p->gradient[k]);
  }
  return lacks;
}

static void print_row(const jo_sweep* s, const jo_sweep_info* info, const jo_sweep_point* p) {
  for (int k = 0; k < info->parameters; k++) {
    printf("  %*.8g", column_width(jo_sweep_parameter_name(s, k)), p->parameter[k]);
  }
  if (p->status < 0) {
    printf("  %s\n", p->message);
    return;
  }
  for (int k = 0; k < info->objectives; k++) {
    printf("  %*.8g", column_width(jo_sweep_objective_name(s, k)), p->value[k]);
  }
  printf(lacks_derivatives(info, p) ? "  derivatives missing\n"
         : *p->message              ? "  in doubt\n"
                                    : "\n");
}

// Why points lack derivatives, once: the reason is the same for most.
static void print_missing(const jo_sweep* s, const jo_sweep_info* info) {
  jo_sweep_point p;
  char* first = NULL;
  int n = 0;
  for (int i = 0; jo_sweep_point_at(s, i, &p) >= 0; i++) {
    if (!p.is_done || p.status < 0 || !lacks_derivatives(info, &p)) continue;
    if (n++ == 0) first = strdup(p.message);
  }
  if (n > 0) printf("  %d of them lack derivatives: %s\n", n, first ? first : "");
  free(first);
}

static void print_table(const jo_sweep* s, const jo_sweep_info* info) {
  int shown = 0;
  jo_sweep_point p;
  for (int k = 0; k < info->parameters; k++) {
    printf("  %*s", column_width(jo_sweep_parameter_name(s, k)), jo_sweep_parameter_name(s, k));
  }
  for (int k = 0; k < info->objectives; k++) {
    printf("  %*s", column_width(jo_sweep_objective_name(s, k)), jo_sweep_objective_name(s, k));
  }
  printf("\n");
  for (int i = 0; shown < MAX_ROWS && jo_sweep_point_at(s, i, &p) >= 0; i++) {
    if (!p.is_done) continue;
    print_row(s, info, &p);
    shown++;
  }
  if (info->done > shown) {
    printf("  ... and %d more, all of them with --json or in a file (-o)\n", info->done - shown);
  }
  print_missing(s, info);
}

static void print_extreme(const jo_sweep* s, const jo_sweep_info* info, int objective, int sign) {
  jo_sweep_point p;
  int best = -1;
  double most = 0.0;
  for (int i = 0; jo_sweep_point_at(s, i, &p) >= 0; i++) {
    if (!p.is_done || p.status < 0) continue;
    if (best >= 0 && !(sign * p.value[objective] > sign * most)) continue;
    best = i;
    most = p.value[objective];
  }
  if (best < 0 || jo_sweep_point_at(s, best, &p) < 0) return;
  printf("  %s %s %.10g at", sign < 0 ? "least" : "most ", jo_sweep_objective_name(s, objective),
         most);
  for (int k = 0; k < info->parameters; k++) {
    printf("%s %s = %.8g", k > 0 ? "," : "", jo_sweep_parameter_name(s, k), p.parameter[k]);
  }
  printf("\n");
}

static void print_precision(const jo_sweep_info* info) {
  if (!info->is_single) return;
  printf("single precision: off by %.2g", info->value_error);
  if (info->wrt > 0) printf(", derivatives by %.2g", info->gradient_error);
  printf(" (relative, largest of %d points computed in double precision too)\n", info->checked);
}

static void print_text(const jo_model* m, const jo_sweep* s, const job* j) {
  jo_sweep_info info = jo_sweep_inspect(s);
  cli_heading("%s: %d points%s", jo_model_name(m), info.points,
              info.is_sample ? " of a sample" : " on a grid");
  if (*jo_model_settings(m)) printf("with %s\n", jo_model_settings(m));
  if (!j->path) print_table(s, &info);
  for (int k = 0; k < info.objectives; k++) {
    print_extreme(s, &info, k, -1);
    print_extreme(s, &info, k, 1);
  }
  cli_print_statistics(s);
  print_precision(&info);
  printf("%d done, %d failed, %d derivatives each%s; %d points in %.3g s ", info.done, info.failed,
         info.objectives * info.wrt,
         info.method == JO_SENS_DIRECT    ? " (direct)"
         : info.method == JO_SENS_ADJOINT ? " (adjoint)"
                                          : "",
         info.done - info.resumed, j->wall_s);
  if (j->team.team.size > 1) {
    printf("in %d processes\n", j->team.team.size);
  } else {
    printf("on %d worker%s\n", info.workers, info.workers == 1 ? "" : "s");
  }
}

// ---- JSON ----------------------------------------------------------------------------------------

static void json_numbers(cli_json* o, const jo_sweep* s, const jo_sweep_info* info, const char* key,
                         const double* x) {
  cli_json_flat_object(o, key);
  for (int w = 0; w < info->wrt; w++) {
    cli_json_number(o, jo_sweep_wrt_name(s, w), x[w]);
  }
  cli_json_end(o);
}

static void json_objectives(cli_json* o, const jo_sweep* s, const jo_sweep_point* p,
                            const jo_sweep_info* info) {
  cli_json_object(o, "objectives");
  for (int k = 0; k < info->objectives; k++) {
    cli_json_flat_object(o, jo_sweep_objective_name(s, k));
    cli_json_number(o, "value", p->value[k]);
    json_numbers(o, s, info, "gradient", p->gradient + k * info->wrt);
    json_numbers(o, s, info, "gradient_error", p->gradient_error + k * info->wrt);
    cli_json_end(o);
  }
  cli_json_end(o);
}

static void json_points(cli_json* o, const jo_sweep* s, const jo_sweep_info* info) {
  jo_sweep_point p;
  cli_json_list(o, "points");
  for (int i = 0; jo_sweep_point_at(s, i, &p) >= 0; i++) {
    if (!p.is_done) continue;
    cli_json_object(o, NULL);
    cli_json_flat_object(o, "parameters");
    for (int k = 0; k < info->parameters; k++) {
      cli_json_number(o, jo_sweep_parameter_name(s, k), p.parameter[k]);
    }
    cli_json_end(o);
    cli_json_count(o, "status", p.status);
    if (*p.message) cli_json_text(o, "message", p.message);
    if (p.status >= 0) {
      json_objectives(o, s, &p, info);
      cli_json_count(o, "events", p.events);
      cli_json_count(o, "evaluations", p.evaluations);
    }
    cli_json_end(o);
  }
  cli_json_end(o);
}

static void json_shares(cli_json* o, const job* j) {
  if (!j->share) return;
  cli_json_list(o, "shares");
  for (int i = 0; i < j->team.team.size; i++) {
    cli_json_flat_object(o, NULL);
    cli_json_count(o, "points", j->share[i].points);
    cli_json_number(o, "waited_s", j->share[i].waited_s);
    cli_json_end(o);
  }
  cli_json_end(o);
}

static void print_json(const jo_model* m, const jo_sweep* s, const job* j) {
  jo_sweep_info info = jo_sweep_inspect(s);
  cli_json o = {0};
  cli_json_object(&o, NULL);
  cli_json_text(&o, "model", jo_model_name(m));
  cli_json_text(&o, "sha256", jo_model_sha256(m));
  cli_json_text(&o, "settings", jo_model_settings(m));
  cli_json_text(&o, "design", info.is_sample ? sampling_name((int)info.sampling) : "grid");
  if (!j->opt.stream) json_points(&o, s, &info);
  cli_json_statistics(&o, s);
  if (info.is_single) {
    cli_json_text(&o, "precision", "single");
    cli_json_count(&o, "checked", info.checked);
    cli_json_number(&o, "value_error", info.value_error);
    if (info.wrt > 0) cli_json_number(&o, "gradient_error", info.gradient_error);
  }
  cli_json_count(&o, "done", info.done);
  cli_json_count(&o, "failed", info.failed);
  cli_json_count(&o, "resumed", info.resumed);
  cli_json_bool(&o, "complete", info.done == info.points);
  cli_json_count(&o, "workers", info.workers);
  cli_json_count(&o, "processes", j->team.team.size);
  json_shares(&o, j);
  cli_json_number(&o, "wall_s", j->wall_s);
  cli_json_end(&o);
}

// ---- the command ---------------------------------------------------------------------------------

static cli_exit stopped(const job* j, const jo_sweep_info* info) {
  cli_complain("stopped with %d of %d points done%s%s", info->done, info->points,
               j->journal ? "; the same command goes on from " : "", j->journal ? j->journal : "");
  return CLI_FAIL;
}

static void tell_failures(const jo_sweep* sweep, const jo_sweep_info* info) {
  jo_sweep_point p;
  for (int i = 0; jo_sweep_point_at(sweep, i, &p) >= 0; i++) {
    if (!p.is_done || p.status >= 0) continue;
    fprintf(stderr, "warning: %d of %d points failed; the first,", info->failed, info->points);
    for (int k = 0; k < info->parameters; k++) {
      fprintf(stderr, "%s %s = %.9g", k > 0 ? "," : "", jo_sweep_parameter_name(sweep, k),
              p.parameter[k]);
    }
    fprintf(stderr, ": %s\n", p.message);
    return;
  }
}

static cli_exit report(cli* c, const jo_model* model, job* j, jo_sweep* sweep) {
  jo_sweep_info info = jo_sweep_inspect(sweep);
  if (info.done < info.points) return stopped(j, &info);
  cli_exit code = info.failed == info.points ? CLI_FAIL : CLI_OK;
  if (j->has_statistics && jo_sweep_statistics(sweep) < 0) code = CLI_FAIL;
  if (j->path && jo_sweep_save(c->ctx, sweep, j->path) < 0) code = CLI_FAIL;
  cli_tell(c);
  if (info.failed == info.points) {
    jo_sweep_point p = {.message = ""};
    jo_sweep_point_at(sweep, 0, &p);
    cli_complain("all %d points failed, the first: %s", info.points, p.message);
  } else if (info.failed > 0 && !c->quiet) {
    tell_failures(sweep, &info);
  }
  (c->json ? print_json : print_text)(model, sweep, j);
  if (j->path && code == CLI_OK && !c->json) {
    printf("%d rows written to %s\n", info.done, j->path);
  }
  return code;
}

static jo_status create(cli* c, const jo_model* model, job* j, jo_system** system,
                        jo_sweep** sweep) {
  jo_system_options use = {.wrt = j->laws.wrt,
                           .nwrt = j->laws.nwrt,
                           .method = j->opt.method,
                           .objective = j->wanted.word,
                           .nobjective = j->wanted.n};
  use.use = j->laws.nwrt > 0 ? JO_USE_DERIVATIVES : JO_USE_RUNS;
  if (cli_prepare(c, model, &use, system) != CLI_OK) return JO_ERR_MODEL;
  j->opt.progress = on_progress;
  j->opt.user = j;
  if (j->team.team.size > 1) j->opt.team = &j->team.team;
  jo_status status = jo_sweep_create(c->ctx, *system, &j->opt, sweep);
  cli_tell(c);
  return status;
}

static cli_exit sweep_model(cli* c, const jo_model* model, job* j) {
  jo_sweep* sweep = NULL;
  jo_system* system = NULL;
  jo_status status = create(c, model, j, &system, &sweep);
  if (!cli_team_begin(&j->team, status >= 0)) status = JO_ERR_ARGUMENT;
  j->has_begun = true;
  if (status >= 0) {
    status = compute(c, j, sweep);
    cli_tell(c);
  }
  cli_exit code = status < 0 ? CLI_FAIL : report(c, model, j, sweep);
  jo_sweep_destroy(sweep);
  jo_system_destroy(system);
  return code;
}

static void give_up(const cli* c, const job* j) {
  const char* why = jo_context_message(c->ctx);
  cli_team_give_up(&j->team, *why ? why : "it cannot do here what the command asks for");
}

// Another process than the first: the same model and options, and points that come from there. `code`: whether the
// command could be read.
static cli_exit help(cli* c, job* j, cli_exit code) {
  jo_model* model = NULL;
  jo_system* system = NULL;
  jo_sweep* sweep = NULL;
  if (!cli_team_begin(&j->team, true)) return code == CLI_OK ? CLI_FAIL : code;
  if (code == CLI_OK) code = cli_load(c, &model);
  if (code == CLI_OK) code = cli_laws_values(c, model, &j->laws);
  if (code == CLI_OK && create(c, model, j, &system, &sweep) < 0) code = CLI_FAIL;
  // nobody can do with a part of the team
  if (code != CLI_OK) give_up(c, j);
  // why it fails the first process is told
  if (code == CLI_OK && run_heard(sweep) < 0) code = CLI_FAIL;
  cli_team_done(&j->team, jo_sweep_inspect(sweep).computed);
  jo_sweep_destroy(sweep);
  jo_system_destroy(system);
  jo_model_destroy(model);
  return code;
}

static cli_exit lead(cli* c, job* j, cli_exit code) {
  jo_model* model = NULL;
  if (code == CLI_OK) code = cli_load(c, &model);
  if (code == CLI_OK) code = cli_laws_values(c, model, &j->laws);
  if (code == CLI_OK) code = sweep_model(c, model, j);
  if (!j->has_begun) cli_team_begin(&j->team, false);
  jo_model_destroy(model);
  return code;
}

static cli_exit read_command(cli* c, job* j, int argc, char** argv) {
  wishes w = {.method = "auto",
              .events = "exact",
              .sampling = "halton",
              .nsample = NAN,
              .seed = NAN,
              .workers = NAN};
  const cli_option option[] = {
      {"--param", "NAME=A:B:N",
       "parameter to vary, from A to B in N values (samples: A:B, or normal(M, S)); repeat",
       .texts = &j->laws.params},
      {"--grid", NULL, "all combinations of the values (default)", .flag = &w.grid,
       .excludes = "--sample"},
      {"--sample", "N", "N points that fill the ranges evenly instead of a grid",
       .number = &w.nsample},
      {"--sampling", "NAME", "sequence of the sample: halton, sobol, lhs or random",
       .text = &w.sampling, .choice = sampling_name, .needs = "--sample"},
      {"--correlate", "A,B=R", "correlation of two parameters of a sample; repeat",
       .texts = &j->laws.correlations, .needs = "--sample"},
      {"--statistics", NULL, "mean, deviation, quantiles, and bounds on what parameters do",
       .flag = &j->has_statistics},
      {"--indices", NULL,
       "Sobol indices: points as many as parameters and two more for each of --sample",
       .flag = &w.indices, .needs = "--sample", .excludes = "--correlate"},
      {"--seed", "S", "of the sample; 0 by default", .number = &w.seed, .needs = "--sample"},
      {"--wrt", "NAMES", "numbers to differentiate for: a,b or none; the varied by default",
       .text = &w.wrt},
      {"--objective", "LIST", CLI_ABOUT_OBJECTIVES, .text = &w.objective},
      {"--method", "NAME", "derivatives: auto, direct or adjoint", .text = &w.method,
       .choice = cli_sens_method},
      {"--events", "HOW", "exact, or frozen: switches stay at their times", .text = &w.events,
       .choice = cli_events_kind},
      {"-o", "FILE", "write a row per point to FILE", .file = &j->path, .ends = JO_TABLE_ENDINGS},
      {"--restart", NULL, "begin anew, whatever FILE.journal says", .flag = &w.restart,
       .needs = "-o"},
      {"--stream", NULL, "keep results on the disk alone, as from 50000 points on",
       .flag = &w.stream, .needs = "-o"},
      {"--batch", NULL, "points side by side, several times as fast; no errors of derivatives",
       .flag = &w.batch},
      {"--device", "NAME", "where, side by side: cpu, cuda or auto", .text = &w.device,
       .choice = device_name},
      {"--fused", NULL, "on GPUs: fused operations, faster and of other roundings",
       .flag = &j->fused, .needs = "--device"},
      {"--single", NULL, "on GPUs: single precision, faster; its error is measured and told",
       .flag = &j->single, .needs = "--device"},
      {"--workers", "N", "threads; one per processor by default", .number = &w.workers},
      {"--end", "T", "stop runs at time T [s]", .number = &j->opt.t_end_s},
      {"--tol", "X", "relative and absolute tolerance", .number = &j->opt.tolerance},
      {"--step", "H", "step of rk2, rk3, rk4; first step of the others [s]",
       .number = &j->opt.step_s},
  };
  cli_exit code = cli_parse(c, &cli_sweep, option, sizeof option / sizeof *option, argc, argv);
  return code == CLI_OK ? set_options(j, &w) : code;
}

static cli_exit run(cli* c, int argc, char** argv) {
  job j = {.opt = jo_sweep_options_default()};
  // before the command is read, so that one process tells what is wrong with it
  cli_exit code = c->visitor ? CLI_OK : cli_team_join(&j.team);
  if (code == CLI_OK) {
    code = read_command(c, &j, argc, argv);
    code = j.team.team.rank > 0 ? help(c, &j, code) : lead(c, &j, code);
    cli_team_leave(&j.team);
  }
  release(&j);
  return code;
}

const cli_command cli_sweep = {
    "sweep", "FILE", 1, "compute objectives and derivatives over a range of parameters", run};
