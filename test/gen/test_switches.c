// SPDX-License-Identifier: Apache-2.0
// Conditions as modes: with modes that follow their switching functions nothing changes its value, functions
// change sign where conditions do, and only what moves makes a switch.
#include "gen/switch/switches.h"

#include "expr/parse/parse.h"
#include "expr/tape/tape.h"
#include "support/fixture.h"
#include "support/random_graph.h"

enum { P, T, Y, MODE, GROUPS, NY = 5, NP = 2, MAX = 32 };

// y4 changes at events only
static const bool is_discrete[NY] = {[4] = true};

typedef struct text_set {
  fixture* f;
  jexpr_graph* g;
  int n;
  jexpr_ref was[MAX], is[MAX];
  jgen_switch_set set;
} text_set;

static jexpr_ref find(void* user, jexpr_graph* g, const char* name, size_t n) {
  (void)user;
  if (n == 1 && name[0] == 't') return jexpr_input(g, T, 0);
  if (n == 2 && name[0] == 'y') return jexpr_input(g, Y, name[1] - '0');
  return n == 2 && name[0] == 'p' ? jexpr_input(g, P, name[1] - '0') : JEXPR_POISON;
}

static void extract(text_set* k, const char* const* text, int n) {
  *k = (text_set){.f = fixture_open(), .n = n};
  jexpr_graph* g = k->g = fixture_graph(k->f);
  jexpr_group(g, "p", NP, JEXPR_UNIFORM);
  jexpr_group(g, "t", 1, JEXPR_PER_LANE);
  jexpr_group(g, "y", NY, JEXPR_PER_LANE);
  jexpr_group(g, "mode", 0, JEXPR_PER_LANE);
  jexpr_scope scope = {.find = find};
  for (int i = 0; i < n; i++) {
    assert_ok(k->f->ctx, jexpr_parse(g, text[i], strlen(text[i]), &scope, "test", &k->was[i]));
    k->is[i] = k->was[i];
  }
  const jgen_switch_inputs in = {.t = T, .y = Y, .mode = MODE, .is_discrete = is_discrete};
  assert_ok(k->f->ctx, jgen_extract_switches(g, &k->f->a, &in, k->is, n, &k->set));
  assert_int_equal(g->group[MODE].size, k->set.n);
  assert_true(k->set.n < MAX);
}

typedef struct place {
  double p[NP], t, y[NY], mode[MAX];
} place;

static void evaluate(text_set* k, const jexpr_ref* ref, int n, const place* x, double* out) {
  jarena scratch;
  jexpr_tape tape;
  double* work;
  jexpr_outputs o = {"y", n, ref};
  jexpr_fn fn = {"y", k->g, 1, &o};
  jarena_init(&scratch, k->f->ctx);
  assert_ok(k->f->ctx, jexpr_tape_prepare(k->f->ctx, &scratch, &fn, &tape, &work));
  jexpr_tape_eval(&tape, 1, (const double* const[]){x->p, &x->t, x->y, x->mode}, &out, work);
  jarena_free(&scratch);
}

static void functions_at(text_set* k, const place* x, double* g) {
  jexpr_ref ref[MAX];
  for (int i = 0; i < k->set.n; i++) {
    ref[i] = k->set.sw[i].g;
  }
  evaluate(k, ref, k->set.n, x, g);
}

// Switching functions may read modes of others: as often as there are switches settles them.
static void set_modes(text_set* k, place* x) {
  double g[MAX];
  for (int round = 0; round <= k->set.n; round++) {
    functions_at(k, x, g);
    for (int i = 0; i < k->set.n; i++) {
      x->mode[i] = g[i] > 0.0;
    }
  }
}

static place random_place(random_source* s) {
  place x = {.t = random_uniform(s, -2.0, 2.0)};
  for (int i = 0; i < NY; i++) {
    x.y[i] = random_uniform(s, -2.0, 2.0);
  }
  for (int i = 0; i < NP; i++) {
    x.p[i] = random_uniform(s, -1.0, 1.0);
  }
  return x;
}

// docs/theory/integration.md eq. (I13): with all modes 0 where switching functions are zero, every operator is what it says
// there, beside others that share its difference.
static void test_switches_at_zero_are_as_written(void** state) {
  (void)state;
  static const char* const text[] = {
      "if(y0 < y1, 1, 2)",  "if(y0 <= y1, 1, 2)", "if(y0 > y1, 1, 2)", "if(y0 >= y1, 1, 2)",
      "if(y0 == y1, 1, 2)", "if(y0 != y1, 1, 2)", "sign(y0 - y1)",     "step(y1 - y0)",
      "max(y0, y1)",        "abs(y1 - y0)",       "not (t <= 0)",      "if(t > 0 or t == 0, 3, 4)"};
  enum { N = sizeof text / sizeof *text };
  for (int first = 0; first < N; first++) {
    const char* turned[N];
    for (int i = 0; i < N; i++) {
      turned[i] = text[(i + first) % N];
    }
    text_set k;
    extract(&k, turned, N);
    for (int side = -1; side <= 1; side++) {
      place x = {.t = side, .y = {0.7, 0.7 - side}};
      double was[N], is[N];
      set_modes(&k, &x);
      evaluate(&k, k.was, N, &x, was);
      evaluate(&k, k.is, N, &x, is);
      for (int i = 0; i < N; i++) {
        assert_true(is[i] == was[i]);
      }
    }
    fixture_close(k.f);
  }
}

static const char* const texts[] = {
    "min(y0, y1) + max(y2, t)",          "abs(y0 - p0)*sin(t)",
    "if(y1 > 0.5, y1^2, 2*y1 - p1)",     "if(y0 < y1 and t >= 0.3, y3, max(y3, 0.1*t))",
    "sign(y2)*y3 + max(min(y0, 1), -1)", "abs(max(y0 + y1, y2) - min(y3, t))",
    "floor(3*y0)*y1 + mod(y2, 0.7)",     "mod(floor(5*y3), 3) == 1",
    "if(ceil(4*t) < floor(y0), y1, y2)", "atan2(y0, y1)*t"};
enum { NTEXT = sizeof texts / sizeof *texts };

static void test_switches_that_follow_change_no_value(void** state) {
  (void)state;
  random_source source;
  random_seed(&source, 171);
  text_set k;
  extract(&k, texts, NTEXT);
  assert_true(k.set.n >= 8);
  for (int round = 0; round < 300; round++) {
    place x = random_place(&source);
    double was[NTEXT], is[NTEXT];
    set_modes(&k, &x);
    evaluate(&k, k.was, NTEXT, &x, was);
    evaluate(&k, k.is, NTEXT, &x, is);
    for (int i = 0; i < NTEXT; i++) {
      assert_near(is[i], was[i], 1e-15 * (1.0 + fabs(was[i])));
    }
  }
  fixture_close(k.f);
}

// Held, the modes leave a smooth function: no jump and no kink where the condition would change.
static void test_switches_held_leave_a_smooth_function(void** state) {
  (void)state;
  static const char* const text[] = {"if(y0 > 0.5, 3, 7)", "abs(y0 - 0.5)"};
  text_set k;
  extract(&k, text, 2);
  place x = {.y = {0.4}};
  set_modes(&k, &x);
  double value[2];
  x.y[0] = 0.9;  // beyond, with the modes of before
  evaluate(&k, k.is, 2, &x, value);
  assert_near(value[0], 7.0, 0.0);
  assert_near(value[1], -0.4, 1e-15);
  fixture_close(k.f);
}

// A floor stays what it is up to half a number beyond, whichever mode holds it; an angle goes on past pi.
static void test_switches_held_go_on_past_a_jump(void** state) {
  (void)state;
  static const char* const text[] = {"floor(y0)", "mod(y0, 1)", "atan2(y1, y2)"};
  text_set k;
  extract(&k, text, 3);
  assert_int_equal(k.set.n, 2);
  for (double whole = -3.0; whole < 4.0; whole += 1.0) {
    place x = {.y = {whole + 0.5, 1e-3, -1.0}};
    set_modes(&k, &x);
    for (double off = -0.45; off < 1.45; off += 0.1) {
      double value[3], angle = 3.0 + 0.2 * off;
      x.y[0] = whole + off;
      x.y[1] = sin(angle);
      x.y[2] = cos(angle);
      evaluate(&k, k.is, 3, &x, value);
      assert_near(value[0], whole, 0.0);
      assert_near(value[1], off, 1e-15 * 8);
      assert_near(value[2], angle, 1e-15 * 8);
    }
  }
  fixture_close(k.f);
}

// Whole numbers themselves belong to what begins there, and no switching function is zero there.
static void test_switches_of_floors_have_a_side_at_whole_numbers(void** state) {
  (void)state;
  static const char* const text[] = {"floor(y0)"};
  text_set k;
  extract(&k, text, 1);
  for (double whole = -3.0; whole < 4.0; whole += 1.0) {
    place x = {.y = {whole}};
    double g, value;
    functions_at(&k, &x, &g);
    assert_true(g != 0.0);
    set_modes(&k, &x);
    evaluate(&k, k.is, 1, &x, &value);
    assert_near(value, whole, 0.0);
  }
  fixture_close(k.f);
}

static void test_switches_change_sign_where_the_condition_does(void** state) {
  (void)state;
  static const char* const text[] = {"if(y0^2 > 2 + t, 1, 0)"};
  text_set k;
  extract(&k, text, 1);
  assert_int_equal(k.set.n, 1);
  random_source source;
  random_seed(&source, 172);
  for (int round = 0; round < 50; round++) {
    place x = random_place(&source);
    double g, edge = sqrt(2.0 + x.t);
    for (int side = -1; side <= 1; side += 2) {
      x.y[0] = edge + 1e-9 * side;
      functions_at(&k, &x, &g);
      assert_true(side * g > 0.0);
    }
  }
  fixture_close(k.f);
}

// The same condition, said the other way round or twice, is one switch; numbers of the model make none.
static void test_switches_are_as_many_as_conditions_that_move(void** state) {
  (void)state;
  static const struct {
    int n;
    const char* text[3];
  } row[] = {{1, {"if(y0 < y1, 1, 2)", "max(y0, y1)", "if(y1 > y0, y2, y3)"}},
             {0, {"max(p0, p1)", "abs(p0)", "if(p0 < 2, p1, 1)"}},
             {1, {"max(p0, t)", "p1", "y0"}},
             {2, {"max(y0, p0)", "max(y0, p1)", "min(y0, p0)"}},
             {1, {"if(y0 <= y1, 1, 2)", "min(y0, y1)", "if(y0 > y1, y2, y3)"}},
             // equality holds for two conditions that are each other's opposite but there
             {2, {"if(y0 <= y1, 1, 2)", "if(y0 >= y1, 1, 2)", "sign(y1 - y0)"}},
             {2, {"if(t == 2, 1, 2)", "if(t > 2, 1, 2)", "if(t >= 2, 1, 2)"}},
             // what jumps is compared as it is, and equal numbers that jump stay equal
             {0, {"if(y4 >= 2, 1, 2)", "sign(y4)", "max(y4, p0)"}},
             {2, {"(y0 > 1) + (y4 > 1) >= 2", "y0 > 1", "floor(y1) == 2"}},
             {1, {"floor(y0)", "if(floor(y0) < 2, 1, 0)", "mod(floor(y0), 2) == p0"}},
             {0, {"floor(p0)", "mod(p0, p1)", "floor(y4)"}},
             {0, {"y0", "sin(t)", "y1*y2"}}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    text_set k;
    extract(&k, row[i].text, 3);
    assert_int_equal(k.set.n, row[i].n);
    fixture_close(k.f);
  }
}

static void test_switches_have_names_of_their_own(void** state) {
  (void)state;
  text_set k;
  extract(&k, texts, NTEXT);
  for (int i = 0; i < k.set.n; i++) {
    assert_non_null(k.set.sw[i].text);
    for (int j = 0; j < i; j++) {
      assert_string_not_equal(k.set.sw[i].text, k.set.sw[j].text);
    }
  }
  fixture_close(k.f);
  static const char* const timed[] = {"if(t < 0.3, 1, 0)", "if(t > 1.5, 1, 0)"};
  extract(&k, timed, 2);
  assert_string_equal(k.set.sw[0].text, "time < 0.3 s");
  assert_string_equal(k.set.sw[1].text, "time > 1.5 s");
  fixture_close(k.f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_switches_that_follow_change_no_value),
      cmocka_unit_test(test_switches_at_zero_are_as_written),
      cmocka_unit_test(test_switches_held_leave_a_smooth_function),
      cmocka_unit_test(test_switches_held_go_on_past_a_jump),
      cmocka_unit_test(test_switches_of_floors_have_a_side_at_whole_numbers),
      cmocka_unit_test(test_switches_change_sign_where_the_condition_does),
      cmocka_unit_test(test_switches_are_as_many_as_conditions_that_move),
      cmocka_unit_test(test_switches_have_names_of_their_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
