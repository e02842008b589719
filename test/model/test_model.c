// SPDX-License-Identifier: Apache-2.0
// Good model files: everything resolved, paths of numbers, includes and overrides, settings.
#include "element/data.h"
#include "element/list.h"
#include "model/model.h"

#include "base/system/file.h"
#include "support/fixture.h"

static const char full[] = "test/model/good/full.yaml";

static fixture* open_model(const char* path, const jmodel_setting* set, int nset) {
  fixture* f = fixture_load(path, set, nset);
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 0);
  return f;
}

static fixture* open_text(const char* text) {
  return fixture_parse("test/model/good/m.yaml", text);
}

static double number(const jmodel* m, const char* path) {
  int i = jmodel_find_number(m, path);
  if (i < 0) print_error("no number '%s'\n", path);
  assert_true(i >= 0);
  return m->number[i].value;
}

static double literal(const jmodel* m, const jmodel_scalar* s) {
  assert_null(s->text);
  assert_true(s->number >= 0 && s->number < m->nnumber);
  return m->number[s->number].value;
}

static void assert_text(const jmodel_scalar* s, const char* text) {
  assert_int_equal(s->number, -1);
  assert_string_equal(s->text, text);
}

static void assert_v3(const jmodel* m, const jmodel_v3* v, double x, double y, double z) {
  assert_true(literal(m, &v->e[0]) == x && literal(m, &v->e[1]) == y && literal(m, &v->e[2]) == z);
}

static const jmodel_joint* joint(const jmodel* m, const char* name) {
  for (int i = 0; i < m->njoint; i++) {
    if (strcmp(m->joint[i].name, name) == 0) return &m->joint[i];
  }
  fail_msg("no joint '%s'", name);
  return NULL;
}

static const jmodel_closure* closure(const jmodel* m, const char* name) {
  for (int i = 0; i < m->nclosure; i++) {
    if (strcmp(m->closure[i].name, name) == 0) return &m->closure[i];
  }
  fail_msg("no closure '%s'", name);
  return NULL;
}

static const jmodel_element* element(const jmodel* m, const jgen_element_class* class,
                                     const char* name) {
  for (int i = 0; i < m->nelement; i++) {
    if (strcmp(m->element[i].name, name) != 0) continue;
    assert_ptr_equal(m->element[i].class, &class->model);
    return &m->element[i];
  }
  fail_msg("no element '%s'", name);
  return NULL;
}

static const jelement_law* law_on(const jmodel* m, const char* name) {
  return &((const jelement_coordinate_data*)element(m, &jelement_coordinate, name)->data)->law;
}

static const jelement_law* law_between(const jmodel* m, const char* name) {
  return &((const jelement_line_data*)element(m, &jelement_line, name)->data)->law;
}

// ---- sections

static void test_head_and_parameters(void** state) {
  (void)state;
  fixture* f = open_model(full, NULL, 0);
  const jmodel* m = f->m;
  assert_string_equal(m->name, "everything");
  assert_string_equal(m->description, "one of each");
  assert_string_equal(m->path, full);
  assert_int_equal(strlen(m->sha256), 64);
  assert_text(&m->gravity.e[2], "-g");
  assert_true(literal(m, &m->gravity.e[0]) == 0.0);
  assert_int_equal(m->nparameter, 4);
  assert_string_equal(m->parameter[0].unit, "m/s^2");
  assert_string_equal(m->parameter[0].description, "free fall");
  assert_string_equal(m->parameter[1].unit, "");
  assert_text(&m->parameter[2].value, "k/2");
  int k = jmodel_find_number(m, "k");
  assert_true(m->number[k].is_parameter && m->number[k].value == 2e4);
  assert_int_equal(m->number[k].place.line, 10);
  assert_string_equal(m->number[k].place.file, full);
  assert_false(m->number[jmodel_find_number(m, "bodies.arm.mass")].is_parameter);
  assert_true(m->has_road);
  assert_text(&m->road, "if(x < 5.5, 0, -0.01)");
  fixture_close(f);
}

static void test_bodies(void** state) {
  (void)state;
  fixture* f = open_model(full, NULL, 0);
  const jmodel* m = f->m;
  assert_int_equal(m->nbody, 12);
  assert_int_equal(jmodel_find_body(m, "ground"), 0);
  const jmodel_body* b = &m->body[jmodel_find_body(m, "chassis")];
  assert_true(b->has_mass && b->has_frame);
  assert_v3(m, &b->com, 0.1, 0.0, 0.2);
  assert_v3(m, &b->origin, 0.0, 0.0, 0.3);
  assert_int_equal(b->axis_given[0], 0);
  assert_int_equal(b->axis_given[1], 1);
  assert_v3(m, &b->axis[1], 0.0, 1.0, 0.0);
  // xx yy zz xy xz yz, by name and by place in a list
  const double chassis[6] = {10, 30, 35, 0, -1, 0};
  const double slider[6] = {1, 1, 1, 0, 0, 0.1};
  const jmodel_body* s = &m->body[jmodel_find_body(m, "slider")];
  for (int i = 0; i < 6; i++) {
    assert_true(literal(m, &b->inertia[i]) == chassis[i]);
    assert_true(literal(m, &s->inertia[i]) == slider[i]);
  }
  assert_true(number(m, "bodies.slider.inertia.yz") == 0.1);
  assert_int_equal(b->npoint, 2);
  assert_string_equal(b->point[1].name, "B");
  assert_int_equal(b->point[1].place.line, 25);
  assert_false(m->body[jmodel_find_body(m, "marker")].has_mass);
  assert_true(m->body[jmodel_find_body(m, "carrier")].has_mass);
  assert_int_equal(m->nhardpoint, 3);
  assert_text(&m->hardpoint[1].value.e[1], "-track/2");
  fixture_close(f);
}

static void test_joints_follow_the_tree(void** state) {
  (void)state;
  fixture* f = open_model(full, NULL, 0);
  const jmodel* m = f->m;
  assert_int_equal(m->njoint, m->nbody - 1);
  int next = 0;
  for (int i = 0; i < m->njoint; i++) {
    const jmodel_joint* j = &m->joint[i];
    bool is_carried = j->parent == 0;
    for (int k = 0; k < i; k++) {
      is_carried = is_carried || m->joint[k].child == j->parent;
    }
    assert_true(is_carried);
    assert_int_equal(j->first_coordinate, next);
    for (int k = 0; k < j->ncoordinate; k++) {
      assert_int_equal(m->coordinate[next + k].joint, i);
      assert_int_equal(m->coordinate[next + k].k, k);
    }
    next += j->ncoordinate;
  }
  assert_int_equal(next, m->ncoordinate);
  // otherwise the order of the file
  assert_string_equal(m->joint[0].name, "chassis");
  assert_string_equal(m->joint[1].name, "pivot");
  assert_string_equal(m->joint[2].name, "hinge");
  assert_string_equal(m->joint[3].name, "slide");
  fixture_close(f);
}

static void test_coordinates(void** state) {
  (void)state;
  fixture* f = open_model(full, NULL, 0);
  const jmodel* m = f->m;
  static const struct {
    const char* name;
    bool is_angle;
  } expected[] = {{"chassis.x", 0}, {"chassis.yaw", 1}, {"chassis.roll", 1}, {"hinge", 1},
                  {"slide", 0},     {"tube.s", 0},      {"tube.a", 1},       {"cross.b", 1},
                  {"socket.c", 1},  {"floor.s", 0},     {"floor.t", 0},      {"floor.a", 1}};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    int k = jmodel_find_coordinate(m, expected[i].name);
    assert_true(k >= 0);
    assert_int_equal(m->coordinate[k].is_angle, expected[i].is_angle);
  }
  assert_int_equal(jmodel_find_coordinate(m, "weld"), -1);
  const jmodel_coordinate* q = &m->coordinate[jmodel_find_coordinate(m, "hinge")];
  assert_true(q->has_guess && literal(m, &q->guess) == 0.1 && q->want_independent == 1);
  q = &m->coordinate[jmodel_find_coordinate(m, "chassis.roll")];
  assert_int_equal(q->want_independent, -1);
  assert_false(q->has_guess);
  q = &m->coordinate[jmodel_find_coordinate(m, "chassis.z")];
  assert_true(q->has_guess && literal(m, &q->guess) == 0.3 && q->want_independent == 0);
  q = &m->coordinate[jmodel_find_coordinate(m, "rack")];
  assert_true(q->is_driven);
  assert_text(&q->driven, "0.01*sin(2*pi*t)");
  fixture_close(f);
}

static void test_joint_points_and_axes(void** state) {
  (void)state;
  fixture* f = open_model(full, NULL, 0);
  const jmodel* m = f->m;
  // a hardpoint: the same place on both bodies, the same numbers
  const jmodel_joint* j = joint(m, "hinge");
  assert_true(j->at_parent.in_vehicle && j->at_child.in_vehicle);
  assert_int_equal(j->at_parent.body, jmodel_find_body(m, "carrier"));
  assert_int_equal(j->at_child.body, jmodel_find_body(m, "arm"));
  assert_int_equal(j->at_child.r.e[2].number, jmodel_find_number(m, "hardpoints.P1.z"));
  assert_true(j->axis_parent.in_vehicle);
  assert_text(&j->axis_child.v.e[0], "1");
  // a literal: vehicle coordinates
  j = joint(m, "pivot");
  assert_v3(m, &j->at_child.r, 0.0, 0.1, 0.2);
  assert_true(number(m, "joints.pivot.at.y") == 0.1 && number(m, "joints.pivot.axis.z") == 1.0);
  // one of each body
  j = joint(m, "slide");
  assert_false(j->at_parent.in_vehicle || j->at_child.in_vehicle || j->axis_child.in_vehicle);
  assert_string_equal(j->at_parent.name, "chassis.B");
  assert_v3(m, &j->axis_parent.v, 0.0, 1.0, 0.0);
  assert_text(&j->axis_child.v.e[1], "1");
  // a free joint: only the child's point counts
  j = joint(m, "chassis");
  assert_string_equal(j->at_child.name, "chassis.A");
  assert_int_equal(j->at_parent.body, 0);
  // not given: the origin of the child's frame, seen from the vehicle on the other side
  j = joint(m, "rack");
  assert_true(j->at_parent.in_vehicle && !j->at_child.in_vehicle);
  // from point to point: numbers by their path, expressions in parentheses
  j = joint(m, "tube");
  assert_true(j->axis_parent.in_vehicle);
  assert_text(&j->axis_parent.v.e[0], "hardpoints.P2.x - hardpoints.P1.x");
  assert_text(&j->axis_parent.v.e[1], "(-track/2) - hardpoints.P1.y");
  // the second axis of a universal joint is the child's, that of a planar one the parent's
  assert_int_equal(joint(m, "cross")->axis2.body, jmodel_find_body(m, "cross"));
  assert_int_equal(joint(m, "floor")->axis2.body, 0);
  fixture_close(f);
}

static void test_closures(void** state) {
  (void)state;
  fixture* f = open_model(full, NULL, 0);
  const jmodel* m = f->m;
  int arm = jmodel_find_body(m, "arm"), slider = jmodel_find_body(m, "slider");
  int chassis = jmodel_find_body(m, "chassis");
  const jmodel_closure* c = closure(m, "c_ball");
  assert_int_equal(c->type, JMODEL_CLOSURE_BALL);
  assert_int_equal(c->a.body, arm);
  assert_false(c->a.in_vehicle);
  assert_int_equal(c->b.body, slider);
  assert_true(c->b.in_vehicle);  // a hardpoint fixed to the slider
  c = closure(m, "c_hinge");
  assert_int_equal(c->u.body, arm);
  assert_int_equal(c->v.body, slider);
  assert_true(c->v.in_vehicle);
  c = closure(m, "c_line");
  assert_int_equal(c->type, JMODEL_CLOSURE_POINT_ON_LINE);
  assert_int_equal(c->u.body, arm);
  assert_int_equal(c->b.body, chassis);
  c = closure(m, "c_line2");
  assert_text(&c->u.v.e[1], "bodies.arm.points.tip.y - bodies.arm.points.A.y");
  assert_int_equal(c->b.r.e[0].number, jmodel_find_number(m, "bodies.chassis.com.x"));
  assert_true(closure(m, "c_rod")->has_length);
  assert_true(literal(m, &closure(m, "c_rod")->length) == 0.4);
  assert_int_equal(closure(m, "c_rod")->b.body, 0);
  assert_false(closure(m, "c_rod2")->has_length);
  assert_int_equal(closure(m, "c_par")->v.body, chassis);
  assert_text(&closure(m, "c_perp")->v.v.e[2], "1");
  fixture_close(f);
}

static void test_tables_and_forces(void** state) {
  (void)state;
  fixture* f = open_model(full, NULL, 0);
  const jmodel* m = f->m;
  assert_int_equal(m->table[0].kind, JEXPR_TABLE_CUBIC);
  assert_int_equal(m->table[0].rule, JEXPR_EXTRAPOLATE_HOLD);
  assert_int_equal(m->table[0].n, 3);
  assert_text(&m->table[0].y[2], "k/100");
  assert_int_equal(m->table[1].kind, JEXPR_TABLE_LINEAR);
  assert_true(number(m, "tables.curve.y[0]") == -300.0);
  const jelement_law* s = law_between(m, "strut");
  assert_true(s->has_stiffness && s->has_damping && s->has_free && s->has_preload);
  assert_true(s->bump.is_given && s->rebound.is_given && !s->has_force && !s->has_torque);
  assert_text(&s->stiffness, "k");
  assert_int_equal(s->spring_table, 1);
  assert_int_equal(s->damper_table, 0);
  assert_true(literal(m, &s->rebound.place) == 0.7);
  assert_true(number(m, "forces.strut.bump_stop.length") == 0.3);
  assert_true(law_between(m, "push")->has_force);
  assert_int_equal(element(m, &jelement_coordinate, "centring")->coordinate,
                   jmodel_find_coordinate(m, "slide"));
  assert_int_equal(law_on(m, "centring")->spring_table, -1);
  assert_true(law_on(m, "motor")->has_torque);
  assert_int_equal(element(m, &jelement_coordinate, "yaw_spring")->coordinate,
                   jmodel_find_coordinate(m, "chassis.yaw"));
  const jelement_bar_data* arb = element(m, &jelement_bar, "arb")->data;
  assert_int_equal(arb->first, jmodel_find_coordinate(m, "hinge"));
  assert_int_equal(arb->second, jmodel_find_coordinate(m, "pivot"));
  const jelement_point_data* wind = element(m, &jelement_point, "wind")->data;
  assert_true(wind->in_body && wind->has_torque);
  assert_text(&wind->force.e[1], "100*step(t - 1)");
  const jelement_point_data* drag = element(m, &jelement_point, "drag")->data;
  assert_false(drag->in_body || drag->has_torque);
  fixture_close(f);
}

static void test_tyres_and_values(void** state) {
  (void)state;
  fixture* f = open_model(full, NULL, 0);
  const jmodel* m = f->m;
  const jelement_tyre_data* tyre[2];
  for (int i = 0, n = 0; i < m->nelement && n < 2; i++) {
    if (m->element[i].class == &jelement_tyre.model) tyre[n++] = m->element[i].data;
  }
  assert_true(tyre[0]->loaded_radius && !tyre[1]->loaded_radius);
  assert_int_equal(tyre[0]->wheel.centre.body, jmodel_find_body(m, "puck"));
  assert_true(tyre[0]->wheel.axis.in_vehicle && !tyre[1]->wheel.axis.in_vehicle);
  assert_string_equal(tyre[1]->wheel.centre.name, "plate.origin");
  assert_true(literal(m, &tyre[1]->damping) == 0.0);
  assert_true(literal(m, &m->state[0].initial) == 0.1);
  assert_text(&m->state[0].derivative, "(strut.length - lag)/0.05");
  assert_int_equal(m->nsignal, 4);
  assert_false(m->signal[1].is_output);
  assert_string_equal(m->signal[1].description, "twice");
  assert_true(m->signal[2].is_output);
  assert_text(&m->signal[3].value, "chassis.z");
  assert_text(&m->objective[0].integrand, "chassis.A.az^2");
  assert_int_equal(m->objective[0].kind, JMODEL_OBJECTIVE_INTEGRAL);
  assert_int_equal(m->objective[1].kind, JMODEL_OBJECTIVE_RMS);
  assert_int_equal(m->objective[1].filter, JMODEL_FILTER_WK);
  assert_true(m->objective[1].has_window && literal(m, &m->objective[1].window[0]) == 1.0);
  assert_text(&m->objective[1].window[1], "1 + track");
  assert_true(number(m, "objectives.level.frequency") == 10.0);
  assert_true(m->objective[3].has_final && m->objective[3].power == 32.0);
  assert_int_equal(m->objective[4].kind, JMODEL_OBJECTIVE_FINAL);
  assert_text(&m->initial[0].quantity, "chassis.x");
  assert_true(m->initial[0].has_value && m->initial[0].has_rate);
  assert_true(literal(m, &m->initial[0].rate) == 3.0);
  assert_true(m->initial[1].has_value && !m->initial[1].has_rate);
  assert_true(number(m, "initial.strut.length") == 0.45);
  assert_true(!m->initial[2].has_value && m->initial[2].has_rate);
  const jmodel_simulation* s = &m->simulation;
  assert_true(s->t_start == 0.5 && s->t_end == 4.5 && s->step == 1e-3 && s->output_step == 0.02);
  assert_true(s->rel_tol == 1e-6 && s->abs_tol == 1e-9 && s->start_static);
  assert_string_equal(s->method, "rk4");
  fixture_close(f);
}

// ---- defaults, warnings, merging, settings

static void test_defaults(void** state) {
  (void)state;
  fixture* f =
      open_text("jounce: 1\nbodies: {a: {mass: 1}}\njoints: {a: {type: free, child: a}}\n");
  const jmodel* m = f->m;
  assert_v3(m, &m->gravity, 0.0, 0.0, -9.81);
  assert_v3(m, &m->body[1].com, 0.0, 0.0, 0.0);
  assert_true(m->simulation.t_end == 1.0 && m->simulation.rel_tol == 1e-8);
  assert_string_equal(m->simulation.method, "auto");
  assert_false(m->has_road || m->body[1].has_frame || m->simulation.start_static);
  assert_string_equal(m->name, "");
  fixture_close(f);
}

// The whole files of the tutorial are good, warnings included.
static void test_tutorial_files(void** state) {
  (void)state;
  char* text;
  size_t size;
  int nfile = 0;
  fixture* base = fixture_open();
  jo_context* ctx = base->ctx;
  assert_ok(ctx, jfile_read(ctx, &base->a, "docs/format.md", 1 << 20, &text, &size));
  for (char* s = text; (s = strstr(s, "```yaml\njounce: 1\n")); s++) {
    char* begin = s + 8;
    char* end = strstr(begin, "```");
    assert_non_null(end);
    *end = '\0';
    if (!strstr(begin, "\ninclude:")) {
      fixture* f = open_text(begin);
      assert_int_equal(jo_context_diagnostic_count(f->ctx), 0);
      fixture_close(f);
      nfile++;
    }
    s = end;
  }
  assert_true(nfile >= 5);
  fixture_close(base);
}

static void test_quoted_texts(void** state) {
  (void)state;
  fixture* f = open_text(
      "jounce: 1\ndescription: 'it''''s ''''''''''''& ''so'' \n   called  \n\n  here'\n"
      "name: \"a b\\u00e9\"\n"
      "bodies: {a: {mass: '1'}}\njoints: {a: {type: free, child: a}}\n");
  assert_string_equal(f->m->description, "it''s ''''''& 'so' called\nhere");
  assert_string_equal(f->m->name, "a b\xc3\xa9");
  assert_true(number(f->m, "bodies.a.mass") == 1.0);
  fixture_close(f);
}

static void test_impossible_inertia_is_a_warning(void** state) {
  (void)state;
  fixture* f = open_text(
      "jounce: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 3]}}\njoints: {a: {type: free, child: "
      "a}}\n");
  jo_severity severity;
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 1);
  assert_string_equal(jo_context_diagnostic(f->ctx, 0, &severity),
                      "test/model/good/m.yaml:2: body 'a': inertia zz = 3 is more than the sum of "
                      "the other two; no body has that");
  assert_int_equal(severity, JO_WARNING);
  fixture_close(f);
}

static void test_impossible_products_of_inertia_are_a_warning(void** state) {
  (void)state;
  // principal moments 0.1, 1 and 1.9
  fixture* f = open_text(
      "jounce: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1, 0.9, 0, 0]}}\njoints: {a: {type: free, "
      "child: a}}\n");
  jo_severity severity;
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 1);
  const char* text = jo_context_diagnostic(f->ctx, 0, &severity);
  assert_non_null(strstr(text, "m.yaml:2: body 'a': inertia: with its products xy = 0.9"));
  assert_int_equal(severity, JO_WARNING);
  fixture_close(f);
}

static void test_driven_massless_body_is_fine(void** state) {
  (void)state;
  fixture* f = open_text(
      "jounce: 1\nbodies: {a: }\njoints: {a: {type: prismatic, child: a, axis: x, drive: "
      "sin(t)}}\n");
  assert_int_equal(f->m->nbody, 2);
  fixture_close(f);
}

static void test_include_and_override(void** state) {
  (void)state;
  fixture* f = open_model("test/model/good/manoeuvre.yaml", NULL, 0);
  const jmodel* m = f->m;
  assert_string_equal(m->name, "manoeuvre");
  // a plain value over a map changes its value only
  assert_true(number(m, "k") == 20000.0);
  assert_string_equal(m->parameter[0].unit, "N/m");
  // the second file over the first, this file over both
  assert_true(number(m, "c") == 150.0 && number(m, "speed") == 3.0 && number(m, "grip") == 0.9);
  assert_string_equal(m->number[jmodel_find_number(m, "c")].place.file,
                      "test/model/good/tyres.yaml");
  // deep: the mass stays, the list is replaced
  assert_true(number(m, "bodies.car.mass") == 10.0 && number(m, "bodies.car.com.x") == 0.5);
  // nothing takes away
  int nforce = 0;
  for (int i = 0; i < m->nelement; i++) {
    nforce += strcmp(m->element[i].class->section, "forces") == 0;
  }
  assert_int_equal(nforce, 1);
  const jelement_law* law = law_on(m, "spring");
  assert_text(&law->stiffness, "k");
  assert_text(&law->damping, "2*c");
  assert_true(m->simulation.t_end == 9.0 && m->simulation.rel_tol == 1e-6);
  fixture_close(f);
}

static void test_hash_is_of_all_text(void** state) {
  (void)state;
  fixture* a = open_model("test/model/good/vehicle.yaml", NULL, 0);
  fixture* b = open_model("test/model/good/manoeuvre.yaml", NULL, 0);
  fixture* c = open_model("test/model/good/vehicle.yaml", NULL, 0);
  assert_string_not_equal(a->m->sha256, b->m->sha256);
  assert_string_equal(a->m->sha256, c->m->sha256);
  fixture_close(a);
  fixture_close(b);
  fixture_close(c);
}

static void test_include_of_itself(void** state) {
  (void)state;
  jmodel* m;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  assert_int_equal(jmodel_load(ctx, "test/model/bad/loop_a.yaml", NULL, 0, &m), JO_ERR_MODEL);
  assert_string_equal(
      jo_context_message(ctx),
      "test/model/bad/loop_b.yaml:2: include '../bad/loop_a.yaml': includes itself; "
      "remove one of the includes");
  fixture_close(f);
}

static void test_mistake_in_included_file_names_it(void** state) {
  (void)state;
  jmodel* m;
  const char* text = "jounce: 1\ninclude: part.yaml\n";
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  assert_int_equal(jmodel_parse(ctx, text, strlen(text), "test/model/bad/x.yaml", NULL, 0, &m),
                   JO_ERR_MODEL);
  assert_string_equal(
      jo_context_message(ctx),
      "test/model/bad/part.yaml:3: body 'a': unknown key 'mas'; did you mean 'mass'?");
  fixture_close(f);
}

static void test_settings(void** state) {
  (void)state;
  const jmodel_setting set[] = {{"k", "3e4"},
                                {"half_k", "k/3"},
                                {"bodies.chassis.com.y", "-0.5"},
                                {"bodies.chassis.inertia.xx", "11"},
                                {"bodies.slider.inertia.yz", "0.2"},
                                {"hardpoints.P2.y", "0.25"},
                                {"tables.curve.y[0]", "-400"},
                                {"joints.pivot.at.z", "0.9"},
                                {"initial.chassis.x", "1"},
                                {"initial.chassis.x.rate", "4"},
                                {"forces.strut.bump_stop.length", "0.2"},
                                {"bodies.arm.com.x", "0.125"},  // a default
                                {"simulation.end", "8"},
                                {"simulation.method", "rk3"},
                                {"sensors.load", "0"},
                                {"road.height", "0.5"},
                                {"states.lag.derivative", "-lag"}};
  fixture* f = open_model(full, set, (int)(sizeof set / sizeof set[0]));
  const jmodel* m = f->m;
  assert_true(number(m, "k") == 3e4);
  assert_true(m->number[jmodel_find_number(m, "k")].is_parameter);
  assert_text(&m->parameter[2].value, "k/3");
  assert_true(number(m, "bodies.chassis.com.y") == -0.5);
  assert_true(number(m, "bodies.chassis.inertia.xx") == 11.0);
  assert_true(number(m, "bodies.slider.inertia.yz") == 0.2);
  assert_true(literal(m, &m->hardpoint[1].value.e[1]) == 0.25);
  assert_true(literal(m, &m->table[0].y[0]) == -400.0);
  assert_true(number(m, "joints.pivot.at.z") == 0.9);
  assert_true(literal(m, &m->initial[0].value) == 1.0 && literal(m, &m->initial[0].rate) == 4.0);
  assert_true(literal(m, &law_between(m, "strut")->bump.place) == 0.2);
  assert_true(number(m, "bodies.arm.com.x") == 0.125);
  assert_true(m->simulation.t_end == 8.0);
  assert_string_equal(m->simulation.method, "rk3");
  assert_text(&m->state[0].derivative, "-lag");
  assert_true(number(m, "road.height") == 0.5);
  fixture_close(f);
}

static void test_numbers_by_name(void** state) {
  (void)state;
  static const struct {
    const char *name, *message;
  } cases[] = {
      {"k", NULL},
      {"bodies.arm.mass", NULL},
      {"half_k",
       "test/model/good/full.yaml:11: parameter 'half_k' is computed (k/2); choose one it depends "
       "on, or give it a value with --set"},
      {"bodies.arm.mas",
       "test/model/good/full.yaml: no parameter or number is named 'bodies.arm.mas'; did you mean "
       "'bodies.arm.mass'?"},
      {"", "test/model/good/full.yaml: no parameter or number is named ''"},
  };
  fixture* f = open_model(full, NULL, 0);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    int number = -1;
    jo_context_clear(f->ctx);
    jo_status status = jmodel_number_named(f->ctx, f->m, cases[i].name, &number);
    assert_int_equal(status, cases[i].message ? JO_ERR_ARGUMENT : JO_OK);
    assert_int_equal(number, cases[i].message ? -1 : jmodel_find_number(f->m, cases[i].name));
    if (cases[i].message) assert_string_equal(jo_context_message(f->ctx), cases[i].message);
  }
  fixture_close(f);
}

static void test_bad_settings(void** state) {
  (void)state;
  static const struct {
    jmodel_setting set;
    const char* message;
  } cases[] = {
      {{"half_kk", "1"},
       "--set: number 'half_kk': no parameter or number has this name; did you mean 'half_k'?"},
      {{"bodies.chasis.mass", "1"},
       "--set: number 'bodies.chasis.mass': no parameter or number has this name; did you mean "
       "'bodies.chassis.mass'?"},
      {{"k", ""}, "--set: number 'k': the value is empty; write --set name=value"},
      {{"", "1"}, "--set: number '': no parameter or number has this name"},
      {{"k", "2*kk"},
       "--set: parameter 'k': value: column 3: unknown name 'kk'; did you mean 'k'?"},
      {{"k", "half_k"}, "--set: parameter 'k': depends on itself: k -> half_k -> k"},
      {{"k", "inf"}, "--set: parameter 'k': value is not a finite number"},
      {{"bodies.chassis.com", "1"},
       "--set: number 'bodies.chassis.com': not a single number; add what is meant, as in 'com.x'"},
      {{"bodies.chassis.com[7]", "1"},
       "--set: number 'bodies.chassis.com[7]': no parameter or number has this name; did you mean "
       "'bodies.chassis.com.x'?"},
      {{"bodies.marker.mass", "1"},
       "--set: number 'bodies.marker.mass': the body has no mass; give it one in the file"},
      {{"bodies.arm.com.x", "k"},
       "--set: number 'bodies.arm.com.x': needs a finite number, got 'k'"},
      {{"bodies.arm.mass", "-1"}, "--set: body 'arm': mass is -1; it must be at least 0"},
      {{"name", "1"}, "--set: number 'name': no parameter or number has this name"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    jmodel* m;
    fixture* f = fixture_open();
    jo_context* ctx = f->ctx;
    assert_int_equal(jmodel_load(ctx, full, &cases[i].set, 1, &m), JO_ERR_MODEL);
    assert_string_equal(jo_context_message(ctx), cases[i].message);
    assert_int_equal(jo_context_diagnostic_count(ctx), 1);
    fixture_close(f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_head_and_parameters),
      cmocka_unit_test(test_bodies),
      cmocka_unit_test(test_joints_follow_the_tree),
      cmocka_unit_test(test_coordinates),
      cmocka_unit_test(test_joint_points_and_axes),
      cmocka_unit_test(test_closures),
      cmocka_unit_test(test_tables_and_forces),
      cmocka_unit_test(test_tyres_and_values),
      cmocka_unit_test(test_defaults),
      cmocka_unit_test(test_tutorial_files),
      cmocka_unit_test(test_quoted_texts),
      cmocka_unit_test(test_impossible_inertia_is_a_warning),
      cmocka_unit_test(test_impossible_products_of_inertia_are_a_warning),
      cmocka_unit_test(test_driven_massless_body_is_fine),
      cmocka_unit_test(test_include_and_override),
      cmocka_unit_test(test_hash_is_of_all_text),
      cmocka_unit_test(test_include_of_itself),
      cmocka_unit_test(test_mistake_in_included_file_names_it),
      cmocka_unit_test(test_settings),
      cmocka_unit_test(test_numbers_by_name),
      cmocka_unit_test(test_bad_settings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
