// SPDX-License-Identifier: Apache-2.0
// What the files of the model reader share: the reader, mistakes, typed access to nodes, references.
//
// Reading goes on after a mistake, so that several are told in one run; running out of memory is
// remembered (`oom`) and ends the run at the next section. Functions therefore return something
// harmless rather than a status.
#ifndef JMODEL_READER_H
#define JMODEL_READER_H

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "expr/graph.h"
#include "model/read/keys.h"
#include "model/read/sections.h"
#include "model/read/yaml.h"

#define JMODEL_MAX_MISTAKES 20
#define JMODEL_MAX_BYTES    ((size_t)4 << 20)  // of all files of a model together

// Which names an expression may contain, as far as it is known here.
typedef enum jmodel_scope {
  JMODEL_SCOPE_PARAMETERS,  // parameters only: what is constant in time
  JMODEL_SCOPE_ANY          // any name: gen/ knows them
} jmodel_scope;

typedef struct jmodel_reader {
  jo_context* ctx;
  jmodel* m;
  jarena scratch;  // trees, and all that is not part of the model
  int nmistake;
  jo_status status;  // of the first mistake
  bool oom;

  const jmodel_node* root;  // of the sections

  const jmodel_setting* set;
  int nset;
  bool* set_done;

  jsha256 sha;
  size_t nbyte;
  int nfile;

  jexpr_graph* graph;  // where expressions are tried
  jindex inputs;       // of the names seen in them
  int ninput;
  int current_parameter;  // whose value is being read; -1: none
  int ndepend, depend_cap;
  struct jmodel_depend {
    int parameter, on;
  } * depend;  // parameters used by parameters, in order of `parameter`

  int nown, own_cap;
  jmodel_state* own;  // states of drives and elements, which follow those of the file

  jmodel_instance *instance, *last_instance;  // those inside of others behind them
  int ninstance, nmade;                       // and the nodes made for them
  const char* const* own_names;     // of the expressions at hand alone, as `rate`; NULL: none
  const jmodel_instance** body_in;  // that each body is part of

  int number_cap;
  bool has_units;          // some number was given with one
  bool joints_incomplete;  // a joint could not be read: unknown coordinates are not worth a word
} jmodel_reader;

// Who a message is about, and the path of its numbers.
typedef struct jmodel_at {
  jmodel_reader* r;
  const char* kind;  // "body"
  const char* name;  // "chassis"; NULL: none
  const char* path;  // "bodies.chassis"
} jmodel_at;

// ---- mistakes (report.c)

// "file:line: kind 'name': cause; hint"
void jmodel_mistake(const jmodel_at* at, jmodel_place place, const char* format, ...)
    JERR_PRINTF(3, 4);
void jmodel_warning(const jmodel_at* at, jmodel_place place, const char* format, ...)
    JERR_PRINTF(3, 4);
// Room for one more mistake?
bool jmodel_goes_on(const jmodel_reader* r);
// "file:line: kind 'name'" and ": label" when there is one.
const char* jmodel_where(const jmodel_at* at, jmodel_place place, const char* label);

// The candidate closest to a name, for "did you mean".
typedef struct jmodel_guess {
  const char* name;
  const char* best;
  int distance;
} jmodel_guess;
jmodel_guess jmodel_guess_begin(const char* name);
void jmodel_guess_add(jmodel_guess* g, const char* candidate);
// "; did you mean 'x'?" or "".
const char* jmodel_guess_hint(jmodel_reader* r, const jmodel_guess* g);

// ---- memory (report.c): "" and NULL when memory is exhausted, which is remembered

const char* jmodel_format(jmodel_reader* r, const char* format, ...) JERR_PRINTF(2, 3);
const char* jmodel_keep(jmodel_reader* r, const char* text);
void* jmodel_array(jmodel_reader* r, int n, size_t size);  // part of the model
#define JMODEL_ARRAY(r, n, type) ((type*)jmodel_array((r), (n), sizeof(type)))
void jmodel_out_of_memory(jmodel_reader* r);
// Makes a name of the model known, by its number in its list. The first of a name counts.
void jmodel_put_name(jmodel_reader* r, int scope, const char* name, int value);

// ---- typed access (access.c)

// Is this what is needed? "com needs a list, got a map".
bool jmodel_is(const jmodel_at* at, const jmodel_node* node, jmodel_node_kind kind,
               const char* label);
extern const jmodel_key jmodel_file;                   // of the whole
const jmodel_section_about* jmodel_section_at(int i);  // NULL behind the last
bool jmodel_is_reserved(const char* name);
// Complain about a name that something cannot have: not a name, too long, reserved.
bool jmodel_is_good_name(const jmodel_at* at, const char* name, jmodel_place place);
// Complain about keys that are not in the table, or not among the names, which end with NULL.
void jmodel_check_keys(const jmodel_at* at, const jmodel_node* map, const jmodel_key* keys);
void jmodel_check_names(const jmodel_at* at, const jmodel_node* map, const char* const* names);
// Two of the axes x, y, z of a frame, as children of the map `label`; what is not given stays (read_bodies.c).
void jmodel_read_axes(const jmodel_at* at, const jmodel_node* map, const char* label, int given[2],
                      jmodel_v3 axis[2]);
// Is it a section of elements, and what are they called? NULL: it is not.
const char* jmodel_section_kind(const char* section);
// The node of a key; a missing one is a mistake.
const jmodel_node* jmodel_need(const jmodel_at* at, const jmodel_node* map, const char* key);

bool jmodel_number_text(const char* text, double* value);  // a literal number?
jmodel_scalar jmodel_scalar_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                               const char* path, jmodel_scope scope);
bool jmodel_get_scalar(const jmodel_at* at, const jmodel_node* map, const char* key,
                       jmodel_scope scope, jmodel_scalar* out);
void jmodel_need_scalar(const jmodel_at* at, const jmodel_node* map, const char* key,
                        jmodel_scope scope, jmodel_scalar* out);
jmodel_v3 jmodel_v3_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                       const char* path, jmodel_scope scope);
bool jmodel_get_v3(const jmodel_at* at, const jmodel_node* map, const char* key, jmodel_scope scope,
                   jmodel_v3* out);
const char* jmodel_get_text(const jmodel_at* at, const jmodel_node* map, const char* key,
                            const char* otherwise);
int jmodel_bool_at(const jmodel_at* at, const jmodel_node* node, const char* label);
double jmodel_get_double(const jmodel_at* at, const jmodel_node* map, const char* key,
                         double otherwise);
// One of the words, which end with NULL: its index, -1 after a mistake.
int jmodel_word_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                   const char* const* words);

// Numbers with units (units.c). "25 N/mm": the value in SI, and the unit; false: it is no such text.
bool jmodel_quantity_text(const char* text, double* value, const char** unit, size_t* nunit);
// Complain about a number with what was meant to be a unit; false: it was not.
bool jmodel_unknown_unit(const jmodel_at* at, const jmodel_node* node, const char* label);
// Complain where a value has a unit of another dimension than what is expected (NULL: nothing is).
void jmodel_check_unit(const jmodel_at* at, const char* label, const jmodel_scalar* s,
                       const char* unit);
void jmodel_check_unit_at(const jmodel_at* at, const char* label, const jmodel_scalar* s);
// The same of a number that is none of the model, as those of the simulation; nothing expected: it has no unit.
void jmodel_check_plain(const jmodel_at* at, const char* key, const jmodel_number* k,
                        jmodel_place place);
void jmodel_check_units(jmodel_reader* r);  // of elements and coordinates
void jmodel_parameter_unit(const jmodel_at* at, jmodel_parameter* p, jmodel_place place);

// A literal of the model that the file does not give, and a constant that is no number of the model.
jmodel_scalar jmodel_default(jmodel_reader* r, const char* path, double value, jmodel_place place);
jmodel_v3 jmodel_default_v3(jmodel_reader* r, const char* path, double value, jmodel_place place);
jmodel_scalar jmodel_constant(const char* text, jmodel_place place);
jmodel_v3 jmodel_unit(int axis, jmodel_place place);  // e_x, e_y, e_z; -1: zero
// Value of a literal; false for an expression.
bool jmodel_literal(const jmodel* m, const jmodel_scalar* s, double* value);

// The section of the model; NULL when it is not given or not a map.
const jmodel_node* jmodel_section(jmodel_reader* r, const jmodel_node* root, const char* key);
// A good name for something of the model? Mistakes are reported.
bool jmodel_name_ok(const jmodel_at* at, const jmodel_node* entry);

// ---- expressions (check.c)

void jmodel_try_expression(const jmodel_at* at, jmodel_place place, const char* label,
                           const char* text, jmodel_scope scope, const jmodel_instance* in);
// An expression without names; false after a mistake.
bool jmodel_constant_value(const jmodel_at* at, jmodel_place place, const char* label,
                           const char* text, double* value);
void jmodel_free_expressions(jmodel_reader* r);
// What only the whole model shows.
void jmodel_check(jmodel_reader* r);
// Values and where they must lie (ranges.c); order: parameters, each after those it depends on, NULL: some
// expressions have mistakes.
void jmodel_check_ranges(jmodel_reader* r, const int* order);

// ---- names inside of instances (names.c): as the model calls what they mean; the text itself where `in` is NULL

const char* jmodel_full_name(jmodel_reader* r, const jmodel_instance* in, const char* name);
bool jmodel_is_quantity(const char* source);  // is it one name?
// The sign is -1 where the model has the opposite of what is meant: components of positions and velocities in mirror
// images.
const char* jmodel_full_quantity(jmodel_reader* r, const jmodel_instance* in, const char* name,
                                 size_t n, int* sign);
const char* jmodel_full_expression(const jmodel_at* at, const jmodel_instance* in,
                                   const char* text);

// ---- geometry inside of instances (place.c): from the coordinates of the template to those of the vehicle

void jmodel_place_point(jmodel_reader* r, const jmodel_instance* in, jmodel_v3* v);
void jmodel_place_direction(jmodel_reader* r, const jmodel_instance* in, jmodel_v3* v);
// Components along axes that mirror images share but for the handedness: those of bodies, and of the vehicle.
void jmodel_flip(jmodel_reader* r, const jmodel_instance* in, jmodel_v3* v);
// What turns rather than moves: mirror images keep the meaning of its values, not of its arrow.
void jmodel_turn_round(jmodel_reader* r, const jmodel_instance* in, jmodel_v3* v);
// Of products and moments xx yy zz xy xz yz.
void jmodel_flip_inertia(jmodel_reader* r, const jmodel_instance* in, jmodel_scalar inertia[6]);
// Two axes of a frame.
void jmodel_place_axes(jmodel_reader* r, const jmodel_instance* in, const int given[2],
                       jmodel_v3 axis[2]);
// Signs of the components along those axes, of arrows and of turns: 1 or -1.
void jmodel_signs(const jmodel_instance* in, int arrow[3], int turn[3]);
jmodel_scalar jmodel_negative(jmodel_reader* r, const jmodel_scalar* s);

// ---- references (resolve.c). `body` is -1 where the text does not say which.

int jmodel_body_at(const jmodel_at* at, const jmodel_node* node, const char* label);  // -1: mistake
int jmodel_table_at(const jmodel_at* at, const jmodel_node* node, const char* label);
int jmodel_coordinate_at(const jmodel_at* at, const jmodel_node* node, const char* label);
bool jmodel_point_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                     const char* path, jmodel_point* out);
bool jmodel_vector_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                      const char* path, jmodel_vector* out);
// The same with a body told, else a mistake.
bool jmodel_body_point_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                          const char* path, jmodel_point* out);
bool jmodel_body_vector_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                           const char* path, jmodel_vector* out);
jmodel_point jmodel_origin(jmodel_reader* r, int body, jmodel_place place);
// A direction about which something turns, as the axis of a wheel (resolve.c).
bool jmodel_axis_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                    const char* path, jmodel_vector* out);
bool jmodel_body_axis_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                         const char* path, jmodel_vector* out);
// The same of an axis of a body's own frame, for an entry that gives none.
jmodel_vector jmodel_own_axis(const jmodel_at* at, const jmodel_node* entry, int body, int k);
// x, y, z or -x, -y, -z as a vector of length one; false: it is none of these.
bool jmodel_axis_word(jmodel_reader* r, const jmodel_node* node, jmodel_v3* out);
// Are the coordinates of a body those of the vehicle?
bool jmodel_is_vehicle_frame(const jmodel* m, int body);

// ---- files (yaml.c, include.c) and settings (set.c)

// Parse `text` into a tree; NULL after a mistake that leaves nothing to read, which is reported.
// `file` must outlive the tree.
jmodel_node* jmodel_yaml_parse(jmodel_reader* r, const char* text, size_t n, const char* file);
// The file with all it includes, merged; NULL after a mistake that leaves nothing to read.
jmodel_node* jmodel_include_file(jmodel_reader* r, const char* path);
// Lay `over` upon `base`, both maps; the nodes of `over` are used up.
void jmodel_merge(jmodel_node* base, jmodel_node* over);
jmodel_node* jmodel_include_text(jmodel_reader* r, const char* text, size_t n, const char* path);
void jmodel_set_in_tree(jmodel_reader* r, jmodel_node* root);
void jmodel_set_numbers(jmodel_reader* r);  // what the tree did not have: defaults

// ---- sections, in the order of reading

void jmodel_read_names(jmodel_reader* r, const jmodel_node* root);  // of parameters and tables
// What the file of a table says, as a map with lists x, y and perhaps z; NULL after a mistake (table_file.c).
const jmodel_node* jmodel_table_file(const jmodel_at* at, const jmodel_node* node);
void jmodel_read_function_names(jmodel_reader* r, const jmodel_node* root);
void jmodel_read_functions(jmodel_reader* r, const jmodel_node* root);
void jmodel_read_head(jmodel_reader* r, const jmodel_node* root);
void jmodel_read_road(jmodel_reader* r, const jmodel_node* root);
void jmodel_read_parameters(jmodel_reader* r, const jmodel_node* root);
void jmodel_read_tables(jmodel_reader* r, const jmodel_node* root);
void jmodel_read_hardpoints(jmodel_reader* r, const jmodel_node* root);
void jmodel_read_bodies(jmodel_reader* r, const jmodel_node* root);
void jmodel_read_joints(jmodel_reader* r, const jmodel_node* root);
void jmodel_read_closures(jmodel_reader* r, const jmodel_node* root);
void jmodel_read_couplings(jmodel_reader* r, const jmodel_node* root);
void jmodel_read_elements(jmodel_reader* r, const jmodel_node* root);
void jmodel_read_samplers(jmodel_reader* r, const jmodel_node* root);  // and their own states
void jmodel_read_delays(jmodel_reader* r, const jmodel_node* root);    // the same
void jmodel_read_states(jmodel_reader* r, const jmodel_node* root);
void jmodel_read_events(jmodel_reader* r, const jmodel_node* root);  // and those of samplers
void jmodel_read_signals(jmodel_reader* r, const jmodel_node* root);
void jmodel_read_objectives(jmodel_reader* r, const jmodel_node* root);
void jmodel_read_initial(jmodel_reader* r, const jmodel_node* root);
void jmodel_start_attitudes(jmodel_reader* r, const jmodel_node* root);
void jmodel_read_simulation(jmodel_reader* r, const jmodel_node* root);
void jmodel_read_axles(jmodel_reader* r, const jmodel_node* root);

// ---- angles of joints (read_attitude.c)

extern const char* const jmodel_angle_words[];  // orders, then "any"
void jmodel_read_angles(const jmodel_at* at, const jmodel_node* map, jmodel_joint* j);
const char* jmodel_angle_suffix(const jmodel_joint* j, int i);  // of the i-th turn
// Joints of any attitude: names of what the file drives, guesses and starts; their states; where these stand, with
// those of the file known; starts that make no sense.
void jmodel_name_angles(const jmodel_at* at, jmodel_joint* j, jmodel_coordinate* coordinate,
                        const jmodel_node* drive);
void jmodel_own_attitudes(jmodel_reader* r);
void jmodel_place_attitudes(jmodel_reader* r);
void jmodel_check_attitudes(jmodel_reader* r);

#endif
