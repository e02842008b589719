// SPDX-License-Identifier: Apache-2.0
// jounce sens as JSON.
#include <math.h>

#include "json.h"
#include "sens.h"

typedef double (*derivative_of)(const jo_sens_result* r, int objective, int parameter);

static void json_gradient(cli_json* out, const cli_sens_job* j, const char* key, int objective,
                          derivative_of of) {
  cli_json_object(out, key);
  for (int k = 0; k < jo_sens_parameter_count(j->system); k++) {
    cli_json_number(out, cli_sens_name(j, k), of(j->result, objective, k));
  }
  cli_json_end(out);
}

static void json_ranking(cli_json* out, cli_sens_job* j, int objective) {
  static const char* const influence[] = {"matters", "zero value", "idle", "no derivative"};
  if (jo_sens_rank(j->ctx, j->result, objective, j->increment, j->threshold, j->row) < 0) return;
  cli_json_list(out, "ranking");
  for (int i = 0; i < jo_sens_parameter_count(j->system); i++) {
    const jo_sens_row* r = &j->row[i];
    cli_json_flat_object(out, NULL);
    cli_json_text(out, "parameter", cli_sens_name(j, r->parameter));
    cli_json_text(out, "influence", influence[r->influence]);
    cli_json_number(out, "percent_per_percent", r->percent);
    if (isfinite(r->change)) cli_json_number(out, "per_increment", r->change);
    cli_json_end(out);
  }
  cli_json_end(out);
}

static void json_objectives(cli_json* out, cli_sens_job* j) {
  jo_quantity q;
  cli_json_object(out, "objectives");
  for (int o = 0; jo_sens_objective_at(j->result, o, &q) >= 0; o++) {
    cli_json_object(out, q.name);
    cli_json_number(out, "value", q.value);
    cli_json_number(out, "value_error", jo_sens_objective_error(j->result, o));
    cli_json_text(out, "unit", q.unit);
    const char* reason = jo_sens_objective_reason(j->result, o);
    if (reason) cli_json_text(out, "no_derivatives", reason);
    json_gradient(out, j, "gradient", o, jo_sens_derivative);
    json_gradient(out, j, "gradient_error", o, jo_sens_derivative_error);
    if (isfinite(jo_sens_derivative_frozen(j->result, o, 0))) {
      json_gradient(out, j, "gradient_frozen", o, jo_sens_derivative_frozen);
    }
    json_ranking(out, j, o);
    cli_json_end(out);
  }
  cli_json_end(out);
}

static void json_contributions(cli_json* out, const cli_sens_job* j, int event) {
  jo_quantity q;
  cli_json_object(out, "contribution");
  for (int o = 0; jo_sens_objective_at(j->result, o, &q) >= 0; o++) {
    cli_json_flat_object(out, q.name);
    for (int k = 0; k < jo_sens_parameter_count(j->system); k++) {
      cli_json_number(out, cli_sens_name(j, k), jo_sens_event_contribution(j->result, event, o, k));
    }
    cli_json_end(out);
  }
  cli_json_end(out);
}

static void json_events(cli_json* out, const cli_sens_job* j) {
  jo_sens_event e;
  cli_json_list(out, "events");
  for (int i = 0; jo_sens_event_at(j->result, i, &e) >= 0; i++) {
    cli_json_object(out, NULL);
    cli_json_number(out, "t", e.t);
    cli_json_text(out, "name", e.name);
    cli_json_bool(out, "on", e.on != 0);
    cli_json_bool(out, "follows", e.follows != 0);
    cli_json_number(out, "rate", e.rate);
    if (isfinite(jo_sens_event_shift(j->result, i, 0))) {
      cli_json_flat_object(out, "dt");
      for (int k = 0; k < jo_sens_parameter_count(j->system); k++) {
        cli_json_number(out, cli_sens_name(j, k), jo_sens_event_shift(j->result, i, k));
      }
      cli_json_end(out);
    }
    if (isfinite(jo_sens_event_contribution(j->result, i, 0, 0))) json_contributions(out, j, i);
    cli_json_end(out);
  }
  cli_json_end(out);
}

static void json_check(cli_json* out, const cli_sens_job* j) {
  int n = jo_sens_parameter_count(j->system);
  jo_quantity q;
  cli_json_object(out, "check");
  for (int o = 0; jo_sens_objective_at(j->result, o, &q) >= 0; o++) {
    const char* reason = jo_sens_objective_reason(j->result, o);
    cli_json_object(out, q.name);
    if (reason) cli_json_text(out, "no_derivatives", reason);
    for (int k = 0; k < n && !reason; k++) {
      const jo_sens_check_row* r = &j->checked[o * n + k];
      jo_verdict verdict = j->agreement[o * n + k].verdict;
      cli_json_flat_object(out, cli_sens_name(j, k));
      cli_json_number(out, "direct", r->direct);
      cli_json_number(out, "adjoint", r->adjoint);
      cli_json_number(out, "direct_error", r->direct_error);
      cli_json_number(out, "adjoint_error", r->adjoint_error);
      cli_json_number(out, "difference", r->difference);
      cli_json_number(out, "difference_error", r->difference_error);
      cli_json_number(out, "increment", r->increment);
      cli_json_bool(out, "agrees", verdict == JO_AGREES);
      cli_json_bool(out, "decided", verdict != JO_UNDECIDED);
      cli_json_end(out);
    }
    cli_json_end(out);
  }
  cli_json_end(out);
}

static void json_vcurve(cli_json* out, const cli_sens_job* j) {
  cli_json_object(out, "vcurve");
  cli_json_text(out, "parameter", j->vcurve);
  cli_json_number(out, "exact", j->exact);
  cli_json_list(out, "points");
  for (int i = 0; i < CLI_VCURVE_POINTS; i++) {
    const jo_sens_vcurve_point* v = &j->point[i];
    cli_json_flat_object(out, NULL);
    cli_json_number(out, "increment", v->relative);
    cli_json_number(out, "forward", v->forward);
    cli_json_number(out, "central", v->central);
    cli_json_number(out, "forward_error", v->forward_error);
    cli_json_number(out, "central_error", v->central_error);
    cli_json_end(out);
  }
  cli_json_end(out);
  cli_json_end(out);
}

static void json_cost(cli_json* out, const cli_sens_job* j) {
  jo_sens_statistics s = jo_sens_result_statistics(j->result);
  cli_json_text(out, "method", jo_sens_method_name(s.method));
  cli_json_bool(out, "frozen", s.is_frozen != 0);
  cli_json_text(out, "integrator", s.integrator);
  cli_json_number(out, "tolerance", s.rel_tol);
  cli_json_number(out, "derivative_tolerance", s.derivative_tol);
  cli_json_bool(out, "is_within", s.is_within != 0);
  cli_json_count(out, "runs", s.passes);
  cli_json_count(out, "steps", s.steps);
  cli_json_count(out, "implicit_steps", s.implicit_steps);
  cli_json_count(out, "evaluations", s.evaluations);
  cli_json_count(out, "derivative_evaluations", s.derivative_evaluations);
  cli_json_count(out, "checkpoint_steps", s.checkpoint_steps);
  cli_json_number(out, "memory_MB", s.memory_mb);
  cli_json_number(out, "cpu_s", s.cpu_total);
  cli_json_number(out, "cpu_dynamics_s", s.cpu_dynamics);
  cli_json_number(out, "cpu_sensitivity_s", s.cpu_sensitivity);
  cli_json_number(out, "cpu_errors_s", s.cpu_errors);
  cli_json_number(out, "cpu_contributions_s", s.cpu_contributions);
  cli_json_number(out, "cpu_equations_s", j->cpu_equations);
  cli_json_number(out, "cpu_checks_s", j->cpu_checks);
  cli_json_number(out, "cpu_command_s", cli_cpu());
}

void cli_sens_json(cli_sens_job* j) {
  cli_json out = {0};
  jo_sens_parameter p;
  cli_json_object(&out, NULL);
  cli_json_text(&out, "model", jo_model_name(j->model));
  cli_json_text(&out, "sha256", jo_model_sha256(j->model));
  cli_json_text(&out, "settings", jo_model_settings(j->model));
  json_objectives(&out, j);
  cli_json_list(&out, "parameters");
  for (int i = 0; jo_sens_parameter_at(j->system, i, &p) >= 0; i++) {
    cli_json_flat_object(&out, NULL);
    cli_json_text(&out, "name", p.name);
    cli_json_number(&out, "value", p.value);
    cli_json_text(&out, "unit", p.unit);
    cli_json_text(&out, "description", p.description);
    cli_json_end(&out);
  }
  cli_json_end(&out);
  json_events(&out, j);
  if (j->checked) json_check(&out, j);
  if (j->point) json_vcurve(&out, j);
  json_cost(&out, j);
  cli_json_end(&out);
}
