// SPDX-License-Identifier: Apache-2.0
// jounce info: what a model is made of, how its coordinates are partitioned, what its equations cost.
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "terminal.h"

static const struct {
  const char *key, *heading;
  size_t offset;
} kinds[] = {
    {"multiply", "mul", offsetof(jo_operations, multiply)},
    {"add", "add", offsetof(jo_operations, add)},
    {"subtract", "sub", offsetof(jo_operations, subtract)},
    {"divide", "div", offsetof(jo_operations, divide)},
    {"root", "sqrt", offsetof(jo_operations, root)},
    {"trigonometric", "trig", offsetof(jo_operations, trigonometric)},
    {"function", "func", offsetof(jo_operations, function)},
    {"logic", "logic", offsetof(jo_operations, logic)},
    {"lookup", "table", offsetof(jo_operations, lookup)},
    {"total", "total", offsetof(jo_operations, total)},
};
enum { NKIND = sizeof kinds / sizeof *kinds };

static int operations_of(const jo_operations* o, int kind) {
  return *(const int*)((const char*)o + kinds[kind].offset);
}

static double superfluous(const jo_system_info* s) {
  int n = s->equations_generated;
  return n > 0 ? 100.0 * (n - s->equations_kept) / n : 0.0;
}

static int wider(int width, const char* text) {
  int n = (int)strlen(text);
  return n > width ? n : width;
}

// ---- text: the model -----------------------------------------------------------------------------

static void print_bodies(const jo_model* m) {
  int n = jo_model_inspect(m).bodies, width = 4;
  cli_cells cells = {0};
  jo_body b;
  double total = 0.0;
  for (int i = 0; jo_model_body_at(m, i, &b) >= 0; i++) {
    width = wider(width, b.name);
    total += b.mass;
  }
  for (int i = 0; jo_model_body_at(m, i, &b) >= 0; i++) {
    cli_cells_add(&cells, "%-*s %10.6g kg", width, b.name, b.mass);
  }
  cli_heading("\n%d bodies, %.6g kg", n, total);
  cli_cells_print(&cells);
}

static void print_joints(const jo_model* m) {
  int n = jo_model_inspect(m).joints, width[3] = {4, 4, 4};
  cli_cells cells = {0};
  jo_joint j;
  for (int i = 0; jo_model_joint_at(m, i, &j) >= 0; i++) {
    width[0] = wider(width[0], j.name);
    width[1] = wider(width[1], j.type);
    width[2] = wider(width[2], j.parent);
  }
  for (int i = 0; jo_model_joint_at(m, i, &j) >= 0; i++) {
    cli_cells_add(&cells, "%-*s  %-*s  %-*s > %s", width[0], j.name, width[1], j.type, width[2],
                  j.parent, j.child);
  }
  cli_heading("\n%d joints", n);
  cli_cells_print(&cells);
}

static int add_couplings(const jo_model* m, cli_cells* cells) {
  int n = 0, width[2] = {4, 4};
  jo_coupling k;
  for (; jo_model_coupling_at(m, n, &k) >= 0; n++) {
    width[0] = wider(width[0], k.name);
    width[1] = wider(width[1], k.type);
  }
  for (int i = 0; jo_model_coupling_at(m, i, &k) >= 0; i++) {
    cli_cells_add(cells, "%-*s  %-*s  %s", width[0], k.name, width[1], k.type, k.coordinates);
  }
  return n;
}

static void print_closures(const jo_model* m, const jo_system* s) {
  jo_system_info info = jo_system_inspect(s);
  int n = jo_model_inspect(m).closures, width[3] = {4, 4, 4};
  cli_cells cells = {0};
  jo_closure k;
  for (int i = 0; jo_model_closure_at(m, i, &k) >= 0; i++) {
    width[0] = wider(width[0], k.name);
    width[1] = wider(width[1], k.type);
    width[2] = wider(width[2], k.a);
  }
  for (int i = 0; jo_model_closure_at(m, i, &k) >= 0; i++) {
    cli_cells_add(&cells, "%-*s  %-*s  %-*s = %s", width[0], k.name, width[1], k.type, width[2],
                  k.a, k.b);
  }
  int ncoupling = add_couplings(m, &cells);
  if (n + ncoupling == 0) return;
  if (ncoupling == 0) {
    cli_heading("\n%d closures: %d equations, %d redundant", n, info.closure_equations,
                info.redundant);
  } else {
    cli_heading("\n%d closures, %d couplings: %d equations, %d redundant", n, ncoupling,
                info.closure_equations, info.redundant);
  }
  cli_cells_print(&cells);
  for (int i = 0; i < info.redundant; i++) {
    printf("%s%s", i == 0 ? "  redundant: " : ", ", jo_system_redundant_name(s, i));
  }
  if (info.redundant > 0) printf("\n");
  printf("  closed to %.1e at the initial position\n", info.closure_residual);
}

static void print_parameters(const jo_model* m) {
  int n = jo_model_inspect(m).parameters, width = 4;
  if (n == 0) return;
  jo_parameter p;
  for (int i = 0; jo_model_parameter_at(m, i, &p) >= 0; i++) {
    width = wider(width, p.name);
  }
  cli_heading("\n%d parameters", n);
  for (int i = 0; jo_model_parameter_at(m, i, &p) >= 0; i++) {
    const char* unit = jo_model_unit(m, p.name);
    printf("  %-*s %14.8g %-8s %s\n", width, p.name, jo_model_shown(m, p.name, p.value),
           *unit ? unit : p.unit, p.description);
  }
}

// ---- text: the system ----------------------------------------------------------------------------

static void print_coordinates(const jo_system* s) {
  jo_system_info info = jo_system_inspect(s);
  cli_cells cells = {0};
  int width = 4;
  jo_coordinate q;
  for (int i = 0; jo_system_coordinate_at(s, i, &q) >= 0; i++) {
    width = wider(width, q.name);
  }
  for (int i = 0; jo_system_coordinate_at(s, i, &q) >= 0; i++) {
    // adding zero turns -0 into 0
    cli_cells_add(&cells, "%-*s  %-11s %11.5g %-3s %9.4g /s", width, q.name, jo_role_name(q.role),
                  q.value + 0.0, q.unit, q.rate + 0.0);
  }
  cli_heading("\n%d coordinates: %d independent, %d dependent, %d driven", info.coordinates,
              info.independent, info.dependent, info.driven);
  cli_cells_print(&cells);
}

// Operations that are done several at a time: `, in vectors 89 % (8 lanes 74 %, 2 lanes 15 %)`
static void print_packs(const jo_system_info* info, int total) {
  const int lanes[] = {8, 4, 2}, packed[] = {info->packed_8, info->packed_4, info->packed_2};
  int all = packed[0] + packed[1] + packed[2];
  if (all == 0) return;
  printf(", in vectors %.0f %% (", 100.0 * all / total);
  const char* separator = "";
  for (int k = 0; k < 3; k++) {
    if (packed[k] == 0) continue;
    printf("%s%d lanes %.0f %%", separator, lanes[k], 100.0 * packed[k] / total);
    separator = ", ";
  }
  printf(")");
}

static void print_cost(const jo_system* s) {
  jo_system_info info = jo_system_inspect(s);
  jo_operations before = jo_system_operations(s, 0), after = jo_system_operations(s, 1);
  cli_heading("\n%d degrees of freedom, %d states, %d switches", info.dof, info.states,
              info.switches);
  printf("  equations  %6d generated, %d kept: %.1f %% superfluous\n\n", info.equations_generated,
         info.equations_kept, superfluous(&info));
  printf("  operations");
  for (int k = 0; k < NKIND; k++) {
    printf(" %6s", kinds[k].heading);
  }
  printf("\n  written   ");
  for (int k = 0; k < NKIND; k++) {
    printf(" %6d", operations_of(&before, k));
  }
  printf("\n  kept      ");
  for (int k = 0; k < NKIND; k++) {
    printf(" %6d", operations_of(&after, k));
  }
  printf("\n  %s", info.is_compiled ? "compiled" : "interpreted");
  print_packs(&info, after.total);
  printf("\n");
}

static void print_text(const jo_model* m, const jo_system* s) {
  cli_heading("%s", jo_model_name(m));
  if (*jo_model_description(m)) printf("%s\n", jo_model_description(m));
  printf("%s, sha256 %.16s...\n", jo_model_path(m), jo_model_sha256(m));
  if (*jo_model_settings(m)) printf("with %s\n", jo_model_settings(m));
  print_parameters(m);
  print_bodies(m);
  print_joints(m);
  print_closures(m, s);
  print_coordinates(s);
  print_cost(s);
}

// ---- JSON ----------------------------------------------------------------------------------------

static void json_operations(cli_json* j, const char* key, jo_operations o) {
  cli_json_flat_object(j, key);
  for (int k = 0; k < NKIND; k++) {
    cli_json_count(j, kinds[k].key, operations_of(&o, k));
  }
  cli_json_end(j);
}

static void json_role(cli_json* j, const jo_system* s, jo_role role) {
  jo_coordinate q;
  cli_json_flat_list(j, jo_role_name(role));
  for (int i = 0; jo_system_coordinate_at(s, i, &q) >= 0; i++) {
    if (q.role == role) cli_json_text(j, NULL, q.name);
  }
  cli_json_end(j);
}

static void json_system(cli_json* j, const jo_system* s) {
  jo_system_info info = jo_system_inspect(s);
  jo_coordinate q;
  cli_json_count(j, "dof", info.dof);
  cli_json_list(j, "coordinates");
  for (int i = 0; jo_system_coordinate_at(s, i, &q) >= 0; i++) {
    cli_json_flat_object(j, NULL);
    cli_json_text(j, "name", q.name);
    cli_json_text(j, "role", jo_role_name(q.role));
    cli_json_text(j, "joint", q.joint);
    cli_json_text(j, "unit", q.unit);
    cli_json_number(j, "value", q.value);
    cli_json_number(j, "rate", q.rate);
    cli_json_end(j);
  }
  cli_json_end(j);
  for (int role = JO_INDEPENDENT; role <= JO_DRIVEN; role++) {
    json_role(j, s, (jo_role)role);
  }
  cli_json_count(j, "closure_equations", info.closure_equations);
  cli_json_flat_list(j, "redundant");
  for (int i = 0; i < info.redundant; i++) {
    cli_json_text(j, NULL, jo_system_redundant_name(s, i));
  }
  cli_json_end(j);
  cli_json_number(j, "closure_residual", info.closure_residual);
  cli_json_count(j, "states", info.states);
  cli_json_flat_list(j, "switches");
  for (int i = 0; i < info.switches; i++) {
    cli_json_text(j, NULL, jo_system_switch_name(s, i));
  }
  cli_json_end(j);
  cli_json_count(j, "equations_generated", info.equations_generated);
  cli_json_count(j, "equations_kept", info.equations_kept);
  cli_json_number(j, "superfluous_percent", superfluous(&info));
  cli_json_object(j, "operations");
  json_operations(j, "before", jo_system_operations(s, 0));
  json_operations(j, "after", jo_system_operations(s, 1));
  cli_json_object(j, "packed");
  cli_json_count(j, "2", info.packed_2);
  cli_json_count(j, "4", info.packed_4);
  cli_json_count(j, "8", info.packed_8);
  cli_json_end(j);
  cli_json_end(j);
}

static void json_bodies(cli_json* j, const jo_model* m) {
  jo_body b;
  cli_json_list(j, "bodies");
  for (int i = 0; jo_model_body_at(m, i, &b) >= 0; i++) {
    cli_json_flat_object(j, NULL);
    cli_json_text(j, "name", b.name);
    cli_json_number(j, "mass", b.mass);
    cli_json_end(j);
  }
  cli_json_end(j);
}

static void json_joints(cli_json* j, const jo_model* m) {
  jo_joint k;
  cli_json_list(j, "joints");
  for (int i = 0; jo_model_joint_at(m, i, &k) >= 0; i++) {
    cli_json_flat_object(j, NULL);
    cli_json_text(j, "name", k.name);
    cli_json_text(j, "type", k.type);
    cli_json_text(j, "parent", k.parent);
    cli_json_text(j, "child", k.child);
    cli_json_count(j, "coordinates", k.ncoordinate);
    cli_json_end(j);
  }
  cli_json_end(j);
}

static void json_closures(cli_json* j, const jo_model* m) {
  jo_closure k;
  cli_json_list(j, "closures");
  for (int i = 0; jo_model_closure_at(m, i, &k) >= 0; i++) {
    cli_json_flat_object(j, NULL);
    cli_json_text(j, "name", k.name);
    cli_json_text(j, "type", k.type);
    cli_json_text(j, "a", k.a);
    cli_json_text(j, "b", k.b);
    cli_json_count(j, "equations", k.nequation);
    cli_json_end(j);
  }
  cli_json_end(j);
}

// Models without couplings have no such key.
static void json_couplings(cli_json* j, const jo_model* m) {
  jo_coupling k;
  if (jo_model_coupling_at(m, 0, &k) < 0) return;
  cli_json_list(j, "couplings");
  for (int i = 0; jo_model_coupling_at(m, i, &k) >= 0; i++) {
    cli_json_flat_object(j, NULL);
    cli_json_text(j, "name", k.name);
    cli_json_text(j, "type", k.type);
    cli_json_text(j, "coordinates", k.coordinates);
    cli_json_count(j, "equations", k.nequation);
    cli_json_end(j);
  }
  cli_json_end(j);
}

static void json_parameters(cli_json* j, const jo_model* m) {
  jo_parameter p;
  cli_json_list(j, "parameters");
  for (int i = 0; jo_model_parameter_at(m, i, &p) >= 0; i++) {
    cli_json_flat_object(j, NULL);
    cli_json_text(j, "name", p.name);
    cli_json_number(j, "value", p.value);
    cli_json_text(j, "unit", p.unit);
    cli_json_text(j, "description", p.description);
    if (*jo_model_unit(m, p.name)) {
      cli_json_number(j, "shown", jo_model_shown(m, p.name, p.value));
      cli_json_text(j, "shown_unit", jo_model_unit(m, p.name));
    }
    cli_json_end(j);
  }
  cli_json_end(j);
}

static void print_json(const jo_model* m, const jo_system* s) {
  cli_json j = {0};
  cli_json_object(&j, NULL);
  cli_json_text(&j, "model", jo_model_name(m));
  cli_json_text(&j, "description", jo_model_description(m));
  cli_json_text(&j, "sha256", jo_model_sha256(m));
  cli_json_text(&j, "settings", jo_model_settings(m));
  json_system(&j, s);
  json_bodies(&j, m);
  json_joints(&j, m);
  json_closures(&j, m);
  json_couplings(&j, m);
  json_parameters(&j, m);
  cli_json_end(&j);
}

// ---- the command ---------------------------------------------------------------------------------

static cli_exit run(cli* c, int argc, char** argv) {
  cli_exit code = cli_parse(c, &cli_info, NULL, 0, argc, argv);
  if (code != CLI_OK) return code;
  jo_model* model = NULL;
  jo_system* system = NULL;
  code = cli_load_system(c, &model, &system);
  if (code == CLI_OK) (c->json ? print_json : print_text)(model, system);
  jo_system_destroy(system);
  jo_model_destroy(model);
  return code;
}

const cli_command cli_info = {"info", "FILE", 1,
                              "print what a model is made of and what its equations cost", run};
