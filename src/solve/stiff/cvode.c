// SPDX-License-Identifier: Apache-2.0
// SUNDIALS CVODE behind the stepper interface: Adams with functional iteration, BDF with Newton
// iteration on a dense matrix. One internal step at a time; events are the driver's business.
//
// Error weights are those of norm.h. BDF projects inside its step (CVODE does that for BDF only); for
// Adams every state is shown projected, and CVODE starts again from it once its own has drifted away
// by DRIFT_LIMIT in the error norm. Inside a step states come from CVODE's interpolation, which has
// the order of the step. CVODE's memory is its own, not the context's; none is taken in a step.
#include "solve/stiff/cvode.h"

#ifdef JOUNCE_WITH_CVODE

#include <cvode/cvode.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "base/text/format.h"
#include "solve/event/scan.h"

#define DRIFT_LIMIT 1.0
#define NEARBY      1e-6  // how close a value that is not finite must be to explain a failure [s]

typedef struct cv cv;

typedef struct dense {
  jsolve_dense base;
  cv* owner;
} dense;

struct cv {
  jsolve_stepper base;
  dense dense;
  jsolve_run* run;
  SUNContext context;
  void* mem;
  N_Vector y, out;  // state of CVODE; interpolated state, whose data is lent per call
  N_Vector error;   // of the step, as CVODE estimates it
  SUNMatrix J;
  SUNLinearSolver linear;
  SUNNonlinearSolver nonlinear;
  double weight_factor;  // from a mean over all states to one over the controlled states
  double drift;          // of the proposed step, in the norm
  double t_taken;        // its end
  bool is_started, is_trivial;
  int not_finite;
  double t_not_finite;
  char message[256];
};

static void keep_message(int code, const char* module, const char* function, char* text,
                         void* user) {
  cv* s = user;
  (void)module;
  (void)function;
  if (code < 0) jformat(s->message, sizeof s->message, "%s", text);
}

static int rhs(double t, N_Vector y, N_Vector f, void* user) {
  cv* s = user;
  jsolve_rhs(s->run, t, N_VGetArrayPointer(y), N_VGetArrayPointer(f));
  if (jsolve_is_finite(s->run->sys->n, N_VGetArrayPointer(f))) return 0;
  s->not_finite = jsolve_first_not_finite(s->run->sys->n, N_VGetArrayPointer(f));
  s->t_not_finite = t;
  return 1;  // recoverable: CVODE tries a smaller step
}

static int jacobian(double t, N_Vector y, N_Vector f, SUNMatrix J, void* user, N_Vector a,
                    N_Vector b, N_Vector c) {
  cv* s = user;
  (void)f, (void)a, (void)b, (void)c;
  double* data = SUNDenseMatrix_Data(J);
  int n = s->run->sys->n;
  s->run->sys->jacobian(s->run->sys->user, t, N_VGetArrayPointer(y), data);
  return jsolve_is_finite(n * n, data) ? 0 : 1;
}

static int weights(N_Vector y, N_Vector w, void* user) {
  cv* s = user;
  const jsolve_weights* jw = &s->run->weights;
  const double* v = N_VGetArrayPointer(y);
  double* out = N_VGetArrayPointer(w);
  for (int i = 0; i < jw->n; i++) {
    // CVODE wants weights > 0; one of 1e-30 controls nothing
    double used = s->weight_factor / (jw->abs_tol[i] + jw->rel_tol * fabs(v[i]));
    out[i] = jw->use[i] > 0 ? used : 1e-30;
  }
  return 0;
}

static int project(double t, N_Vector y, N_Vector correction, double eps, N_Vector error,
                   void* user) {
  cv* s = user;
  (void)eps, (void)error;
  const double* from = N_VGetArrayPointer(y);
  double* to = N_VGetArrayPointer(correction);
  int n = s->run->sys->n;
  memcpy(to, from, (size_t)n * sizeof *to);
  if (s->run->sys->project(s->run->sys->user, t, to) < 0) return 1;
  for (int i = 0; i < n; i++)
    to[i] -= from[i];
  return 0;
}

static void dense_eval(const jsolve_dense* base, double t, double* y) {
  cv* s = ((const dense*)base)->owner;
  if (s->is_trivial) {
    memcpy(y, s->run->y, (size_t)s->run->sys->n * sizeof *y);
    return;
  }
  N_VSetArrayPointer(y, s->out);
  CVodeGetDky(s->mem, t, 0, s->out);
}

static void dense_slope(const jsolve_dense* base, double t, double* ydot) {
  cv* s = ((const dense*)base)->owner;
  if (s->is_trivial) {
    memset(ydot, 0, (size_t)s->run->sys->n * sizeof *ydot);
    return;
  }
  N_VSetArrayPointer(ydot, s->out);
  CVodeGetDky(s->mem, t, 1, s->out);
}

static jo_status fail(cv* s, int code) {
  jsolve_run* run = s->run;
  if (code == CV_MEM_FAIL) return jerr_memory(run->ctx);
  if (code == CV_PROJFUNC_FAIL || code == CV_REPTD_PROJFUNC_ERR) {
    return jsolve_fail_projection(run, JO_ERR_CONVERGENCE, run->t);
  }
  if (s->not_finite >= 0 && fabs(s->t_not_finite - run->t) <= NEARBY * fmax(1, fabs(run->t))) {
    char label[JSOLVE_LABEL];
    return jerr_set(
        run->ctx, JO_ERR_NUMERIC, "integration: %s or its derivative is not finite at t = %.17g",
        jsolve_label(run->sys->state_name, "state", s->not_finite, label), s->t_not_finite);
  }
  return jerr_set(run->ctx, JO_ERR_CONVERGENCE, "integration: %s stops at t = %.17g: %s",
                  jsolve_method_name(run->opt->method), run->t,
                  s->message[0] ? s->message : "no reason given");
}

static int set_up_solvers(cv* s) {
  const jsolve_system* sys = s->run->sys;
  if (s->run->opt->method == JSOLVE_ADAMS) {
    s->nonlinear = SUNNonlinSol_FixedPoint(s->y, 0, s->context);
    return s->nonlinear ? CVodeSetNonlinearSolver(s->mem, s->nonlinear) : CV_MEM_FAIL;
  }
  s->J = SUNDenseMatrix(sys->n, sys->n, s->context);
  s->linear = s->J ? SUNLinSol_Dense(s->y, s->J, s->context) : NULL;
  if (!s->linear) return CV_MEM_FAIL;
  int code = CVodeSetLinearSolver(s->mem, s->linear, s->J);
  if (code >= 0 && sys->jacobian) code = CVodeSetJacFn(s->mem, jacobian);
  if (code >= 0 && sys->project) code = CVodeSetProjFn(s->mem, project);
  if (code >= 0 && sys->project) code = CVodeSetProjErrEst(s->mem, 0);
  return code;
}

static int set_up(cv* s) {
  const jsolve_options* opt = s->run->opt;
  int code = CVodeSetErrHandlerFn(s->mem, keep_message, s);
  if (code >= 0) code = CVodeInit(s->mem, rhs, s->run->t, s->y);
  if (code >= 0) code = CVodeSetMaxHnilWarns(s->mem, -1);
  if (code >= 0) code = CVodeSetUserData(s->mem, s);
  if (code >= 0) code = CVodeWFtolerances(s->mem, weights);
  if (code >= 0) code = set_up_solvers(s);
  if (code >= 0 && opt->max_step > 0) code = CVodeSetMaxStep(s->mem, opt->max_step);
  if (code >= 0 && opt->step > 0) code = CVodeSetInitStep(s->mem, opt->step);
  return code;
}

static jo_status restart(jsolve_stepper* base, jsolve_run* run) {
  cv* s = (cv*)base;
  memcpy(N_VGetArrayPointer(s->y), run->y, (size_t)run->sys->n * sizeof(double));
  int code = CVodeReInit(s->mem, run->t, s->y);
  if (code >= 0) code = CVodeSetStopTime(s->mem, run->t_end);
  return code >= 0 ? JO_OK : fail(s, code);
}

static void count(cv* s) {
  long failed = 0, unsolved = 0, jacobians = 0;
  CVodeGetNumErrTestFails(s->mem, &failed);
  CVodeGetNumStepSolveFails(s->mem, &unsolved);
  if (s->linear) CVodeGetNumJacEvals(s->mem, &jacobians);
  s->run->stats.rejected += failed + unsolved;
  s->run->stats.jacobians += jacobians;
}

static jo_status take_step(cv* s, jsolve_run* run) {
  s->message[0] = '\0';
  int code = CVode(s->mem, run->t_end, s->y, &run->t_new, CV_ONE_STEP);
  if (code < 0) return fail(s, code);
  CVodeGetEstLocalErrors(s->mem, s->error);
  // CVODE has no smallest step: it would creep towards a singularity for ever
  if (run->t_new < run->t_end && run->t_new - run->t <= 4 * DBL_EPSILON * fabs(run->t)) {
    jformat(s->message, sizeof s->message, "step size becomes too small");
    return fail(s, CV_CONV_FAILURE);
  }
  s->t_taken = run->t_new;
  memcpy(run->y_new, N_VGetArrayPointer(s->y), (size_t)run->sys->n * sizeof(double));
  jo_status status = jsolve_project(run, run->t_new, run->y_new, &s->drift);
  return status < 0 ? jsolve_fail_projection(run, status, run->t_new) : status;
}

// Start again with a step that ends where the last look was still good.
static jo_status shorten(cv* s, jsolve_run* run, double h) {
  JO_TRY(restart(&s->base, run));
  run->stats.rejected++;
  int code = CVodeSetInitStep(s->mem, h);
  return code >= 0 ? JO_OK : fail(s, code);
}

static jo_status advance(jsolve_stepper* base, jsolve_run* run) {
  cv* s = (cv*)base;
  // CVODE refuses to start a few rounding errors before the end; nothing changes over such a time
  s->is_trivial = run->t_end - run->t <= 100 * DBL_EPSILON * fmax(fabs(run->t), fabs(run->t_end));
  if (s->is_trivial) {
    memcpy(run->y_new, run->y, (size_t)run->sys->n * sizeof *run->y);
    N_VConst(0, s->error);
    run->t_new = run->t_end;
    return JO_OK;
  }
  JO_TRY(take_step(s, run));
  for (double t_good; !jsolve_scan_step(run, &t_good);) {
    JO_TRY(shorten(s, run, t_good - run->t));
    JO_TRY(take_step(s, run));
  }
  return JO_OK;
}

static jo_status retake(jsolve_stepper* base, jsolve_run* run, double t1) {
  dense_eval(base->dense, t1, run->y_new);
  run->t_new = t1;
  return jsolve_project_strict(run, t1, run->y_new);
}

static jo_status finish(jsolve_stepper* base, jsolve_run* run) {
  (void)base;
  (void)run;
  return JO_OK;
}

static jo_status accept(jsolve_stepper* base, jsolve_run* run) {
  cv* s = (cv*)base;
  bool is_cut = run->t < s->t_taken;
  if (s->is_trivial || (s->drift <= DRIFT_LIMIT && !is_cut)) return JO_OK;
  return restart(base, run);
}

static void destroy(jsolve_stepper* base, jsolve_run* run) {
  cv* s = (cv*)base;
  (void)run;
  if (s->mem) {
    count(s);
    CVodeFree(&s->mem);
  }
  if (s->linear) SUNLinSolFree(s->linear);
  if (s->nonlinear) SUNNonlinSolFree(s->nonlinear);
  if (s->J) SUNMatDestroy(s->J);
  if (s->out) N_VDestroy(s->out);
  if (s->error) N_VDestroy(s->error);
  if (s->y) N_VDestroy(s->y);
  if (s->context) SUNContext_Free(&s->context);
}

static jo_status create(cv* s, jsolve_run* run) {
  int lmm = run->opt->method == JSOLVE_ADAMS ? CV_ADAMS : CV_BDF;
  double* data = JARENA_ARRAY(&run->arena, run->sys->n, double);
  double* error = JARENA_ARRAY(&run->arena, run->sys->n, double);
  if (!data || !error || SUNContext_Create(NULL, &s->context) < 0) return jerr_memory(run->ctx);
  memcpy(data, run->y, (size_t)run->sys->n * sizeof *data);
  s->y = N_VMake_Serial(run->sys->n, data, s->context);
  s->out = N_VMake_Serial(run->sys->n, data, s->context);
  s->mem = CVodeCreate(lmm, s->context);
  s->error = N_VMake_Serial(run->sys->n, error, s->context);
  s->base.error = error;
  if (!s->y || !s->out || !s->error || !s->mem) return jerr_memory(run->ctx);
  int code = set_up(s);
  return code >= 0 ? JO_OK : fail(s, code);
}

jo_status jsolve_cvode_create(jsolve_run* run, jsolve_stepper** out) {
  *out = NULL;
  cv* s = JARENA_NEW(&run->arena, cv);
  if (!s) return jerr_memory(run->ctx);
  s->base = (jsolve_stepper){.dense = &s->dense.base,
                             .restart = restart,
                             .advance = advance,
                             .retake = retake,
                             .finish = finish,
                             .accept = accept,
                             .destroy = destroy};
  s->dense = (dense){{dense_eval, dense_slope}, s};
  s->run = run;
  s->not_finite = -1;
  int m = run->weights.ncontrolled;
  s->weight_factor = sqrt((double)run->sys->n / (m > 0 ? m : 1));
  jo_status status = create(s, run);
  if (status < 0) {
    destroy(&s->base, run);
    return status;
  }
  *out = &s->base;
  return JO_OK;
}

#else

jo_status jsolve_cvode_create(jsolve_run* run, jsolve_stepper** out) {
  *out = NULL;
  return jerr_set(
      run->ctx, JO_ERR_ARGUMENT,
      "integration: method %s needs SUNDIALS, which this build was made without (Debian: "
      "libsundials-dev)",
      jsolve_method_name(run->opt->method));
}

#endif
