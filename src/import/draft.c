// SPDX-License-Identifier: Apache-2.0
#include "import/draft.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/hash.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "model/read/reader.h"

#define MAX_SHOWN 60  // letters of a text of the file in messages
#define MAX_NAME  48  // letters of a name: room for what makes it another one

static void open_lists(jimport_body* b) {
  b->last_point = &b->point;
  b->last_vector = &b->vector;
}

jo_status jimport_draft_init(jimport_draft* d, jo_context* ctx, jarena* a, const char* path) {
  *d = (jimport_draft){.ctx = ctx, .a = a, .path = path, .gravity = {0, 0, -9.81}};
  d->ground = (jimport_body){.name = "ground", .design = jimport_pose_none()};
  open_lists(&d->ground);
  d->last_body = &d->body;
  d->last_joint = &d->joint;
  d->last_remark = &d->remark;
  for (int i = 0; i < JIMPORT_SECTIONS; i++) {
    d->last_entry[i] = &d->entry[i];
  }
  d->names = jimport_table_new(d);
  return d->failed ? jerr_memory(ctx) : JO_OK;
}

// ---- texts ---------------------------------------------------------------------------------------

static const char* format_text(jimport_draft* d, const char* format, va_list args) {
  va_list again;
  va_copy(again, args);
  int n = jformat_v(NULL, 0, format, args);
  char* s = n < 0 ? NULL : jarena_alloc(d->a, (size_t)n + 1);
  if (s) jformat_v(s, (size_t)n + 1, format, again);
  va_end(again);
  if (!s) d->failed = true;
  return s ? s : "";
}

const char* jimport_text(jimport_draft* d, const char* format, ...) {
  va_list args;
  va_start(args, format);
  const char* s = format_text(d, format, args);
  va_end(args);
  return s;
}

jo_status jimport_refuse(jimport_draft* d, int line, const char* format, ...) {
  va_list args;
  va_start(args, format);
  const char* s = format_text(d, format, args);
  va_end(args);
  if (d->failed) return jerr_memory(d->ctx);
  return jerr_set(d->ctx, JO_ERR_MODEL, "%s:%d: %s", d->path, line, s);
}

void jimport_remark_add(jimport_draft* d, jimport_kind kind, int line, const char* format, ...) {
  va_list args;
  va_start(args, format);
  const char* s = format_text(d, format, args);
  va_end(args);
  jimport_remark* r = JARENA_NEW(d->a, jimport_remark);
  if (!r) {
    d->failed = true;
    return;
  }
  *r = (jimport_remark){.kind = kind, .line = line, .text = s};
  *d->last_remark = r;
  d->last_remark = &r->next;
}

const char* jimport_show(jimport_draft* d, const char* text) {
  char out[4 * MAX_SHOWN + 4];
  size_t n = 0, left = strlen(text);
  int letters = 0;
  for (const char* s = text; left > 0 && letters < MAX_SHOWN; letters++) {
    bool shows = false;
    size_t k = jtext_character(s, left, &shows);
    if (k == 0 || k > 4) k = 1;
    if (shows && *s != '\n' && *s != '\t' && *s != '\r') {
      memcpy(out + n, s, k);
      n += k;
    } else {
      out[n++] = '?';
    }
    s += k;
    left -= k;
  }
  out[n] = 0;
  return jimport_text(d, "%s%s", out, left > 0 ? "..." : "");
}

// As in C, but whole numbers as people write them.
static void put_number(char* buffer, double x) {
  jtext_format_number(buffer, x == 0.0 ? 0.0 : x);
  size_t n = strlen(buffer);
  if (n > 2 && strcmp(buffer + n - 2, ".0") == 0) buffer[n - 2] = 0;
}

const char* jimport_number(jimport_draft* d, double x) {
  char buffer[JTEXT_NUMBER_SIZE];
  put_number(buffer, x);
  return jimport_text(d, "%s", buffer);
}

const char* jimport_list(jimport_draft* d, const double* x, int n) {
  char out[8 * (JTEXT_NUMBER_SIZE + 2) + 3] = "[";
  size_t have = 1;
  for (int i = 0; i < n && i < 8; i++) {
    char one[JTEXT_NUMBER_SIZE];
    put_number(one, x[i]);
    have += (size_t)jformat(out + have, sizeof out - have, "%s%s", i ? ", " : "", one);
  }
  return jimport_text(d, "%s]", out);
}

// ---- tables --------------------------------------------------------------------------------------

jimport_table* jimport_table_new(jimport_draft* d) {
  jimport_table* t = JARENA_NEW(d->a, jimport_table);
  if (!t) d->failed = true;
  return t;
}

static size_t bucket_of(const char* key) {
  return jhash_bytes(key, strlen(key)) % JIMPORT_TABLE;
}

void* jimport_table_get(const jimport_table* t, const char* key) {
  for (const jimport_pair* p = t ? t->bucket[bucket_of(key)] : NULL; p; p = p->next) {
    if (strcmp(p->key, key) == 0) return p->value;
  }
  return NULL;
}

void jimport_table_put(jimport_draft* d, jimport_table* t, const char* key, void* value) {
  jimport_pair* p = JARENA_NEW(d->a, jimport_pair);
  if (!p || !t) {
    d->failed = true;
    return;
  }
  jimport_pair** bucket = &t->bucket[bucket_of(key)];
  *p = (jimport_pair){key, value, *bucket};
  *bucket = p;
}

// ---- numbers -------------------------------------------------------------------------------------

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// One number with its sign, blanks before it skipped; false: there is none.
static bool scan_number(const char** s, double* x) {
  while (is_blank(**s)) {
    (*s)++;
  }
  bool negative = **s == '-';
  const char* digits = *s + (**s == '-' || **s == '+');
  size_t used = 0;
  while (digits[used] && !is_blank(digits[used])) {
    used++;
  }
  if (used == 0 || jtext_scan_number(digits, used, x) != used || !isfinite(*x)) return false;
  if (negative) *x = -*x;
  *s = digits + used;
  return true;
}

jo_status jimport_numbers(jimport_draft* d, int line, const char* what, const char* text, int least,
                          int n, double* x, int* got) {
  const char* s = text;
  int k = 0;
  while (is_blank(*s)) {
    s++;
  }
  while (*s) {
    double one;
    const char* at = s;
    if (!scan_number(&s, &one)) {
      return jimport_refuse(d, line, "%s: '%s' is no number", what, jimport_show(d, at));
    }
    if (k == n) return jimport_refuse(d, line, "%s: more than %d numbers", what, n);
    x[k++] = one;
    while (is_blank(*s)) {
      s++;
    }
  }
  if (k < least) {
    return jimport_refuse(d, line, "%s: needs %d number%s, got %d", what, least,
                          least == 1 ? "" : "s", k);
  }
  if (got) *got = k;
  return JO_OK;
}

jo_status jimport_vector_of(jimport_draft* d, int line, const char* what, const char* text, int n,
                            double* x) {
  double read[9];
  JO_TRY(jimport_numbers(d, line, what, text, n, n, read, NULL));
  memcpy(x, read, (size_t)n * sizeof *x);
  return JO_OK;
}

// ---- names ---------------------------------------------------------------------------------------

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Letters, digits and '_', a letter first, and none that means something else.
static void make_name(const char* wanted, char out[MAX_NAME + 3]) {
  size_t n = 0;
  if (!is_letter(*wanted)) out[n++] = 'n';
  for (const char* s = wanted; *s && n < MAX_NAME; s++) {
    bool is_fine = is_letter(*s) || (*s >= '0' && *s <= '9') || *s == '_';
    bool is_tail = ((unsigned char)*s & 0xc0) == 0x80;  // one '_' for a letter of other scripts
    if (is_fine || !is_tail) out[n++] = is_fine ? *s : '_';
  }
  out[n] = 0;
  bool is_body_word = strcmp(out, "origin") == 0 || strcmp(out, "com") == 0 ||
                      (out[0] >= 'x' && out[0] <= 'z' && !out[1]);
  // nothing, in YAML
  bool is_null = strcmp(out, "Null") == 0 || strcmp(out, "NULL") == 0;
  bool is_taken = is_body_word || is_null || strcmp(out, "energy") == 0;
  if (is_taken || jmodel_is_reserved(out)) strcat(out, "_");
}

// `scope` stands before the name where it is looked up: those of different scopes may be equal.
static const char* take_name(jimport_draft* d, const char* scope, const char* wanted,
                             const char* shared) {
  char made[MAX_NAME + 3];
  make_name(wanted, made);
  const char* name = jimport_text(d, "%s", made);
  if (shared && strcmp(name, shared) == 0) return name;
  // how often a name was wanted is kept with it: many equal ones take no search
  int* wanted_before = NULL;
  while (!d->failed) {
    const char* key = jimport_text(d, "%s.%s", scope, name);
    int* times = jimport_table_get(d->names, key);
    if (!times) {
      times = JARENA_NEW(d->a, int);
      if (!times) d->failed = true;
      jimport_table_put(d, d->names, key, times);
      break;
    }
    if (!wanted_before) wanted_before = times;
    name = jimport_text(d, "%s_%d", made, ++*wanted_before + 1);
  }
  return name;
}

const char* jimport_name(jimport_draft* d, const char* wanted, const char* shared, int line) {
  const char* name = take_name(d, "", wanted, shared);
  if (strcmp(name, wanted) != 0) {
    jimport_remark_add(d, JIMPORT_CHANGED, line, "the name '%s' is %s here",
                       jimport_show(d, wanted), name);
  }
  return name;
}

static const char* add_vector(jimport_draft* d, jimport_vector*** last, const char* scope,
                              const char* wanted, const double x[3]) {
  jimport_vector* v = JARENA_NEW(d->a, jimport_vector);
  if (!v) {
    d->failed = true;
    return "";
  }
  v->name = take_name(d, scope, wanted, NULL);
  memcpy(v->x, x, sizeof v->x);
  **last = v;
  *last = &v->next;
  return v->name;
}

const char* jimport_point_add(jimport_draft* d, jimport_body* b, const char* wanted,
                              const double x[3], int line) {
  const char* name = add_vector(d, &b->last_point, b->name, wanted, x);
  if (line > 0 && strcmp(name, wanted) != 0) {
    jimport_remark_add(d, JIMPORT_CHANGED, line, "the point '%s' of %s is %s here",
                       jimport_show(d, wanted), b->name, name);
  }
  return name;
}

const char* jimport_vector_add(jimport_draft* d, jimport_body* b, const char* wanted,
                               const double x[3]) {
  return add_vector(d, &b->last_vector, b->name, wanted, x);
}

// ---- bodies, joints, entries ---------------------------------------------------------------------

jo_status jimport_body_add(jimport_draft* d, const char* wanted, jimport_body* parent, int line,
                           jimport_body** out) {
  if (++d->nbody > JIMPORT_MAX_BODIES) {
    return jimport_refuse(d, line, "more than %d bodies", JIMPORT_MAX_BODIES);
  }
  jimport_body* b = JARENA_NEW(d->a, jimport_body);
  if (!b) {
    d->failed = true;
    b = &d->spare_body;
  }
  *b = (jimport_body){.name = jimport_name(d, wanted, NULL, line),
                      .parent = parent,
                      .line = line,
                      .design = jimport_pose_none()};
  open_lists(b);
  if (b != &d->spare_body) {
    *d->last_body = b;
    d->last_body = &b->next;
  }
  *out = b;
  return JO_OK;
}

jimport_joint* jimport_joint_add(jimport_draft* d, const char* wanted, const char* type,
                                 jimport_body* child, int line) {
  jimport_joint* j = JARENA_NEW(d->a, jimport_joint);
  if (!j) {
    d->failed = true;
    j = &d->spare_joint;
  }
  *j = (jimport_joint){.name = jimport_name(d, wanted, child->name, line),
                       .type = type,
                       .parent = child->parent,
                       .child = child,
                       .line = line,
                       .independent = -1};
  child->carrier = j;
  if (j != &d->spare_joint) {
    *d->last_joint = j;
    d->last_joint = &j->next;
    d->njoint++;
  }
  return j;
}

jimport_entry* jimport_entry_add(jimport_draft* d, jimport_section s, const char* name,
                                 const char* value, const char* comment) {
  jimport_entry* e = JARENA_NEW(d->a, jimport_entry);
  if (!e) {
    d->failed = true;
    return &d->spare_entry;
  }
  *e = (jimport_entry){.name = name, .value = value, .comment = comment};
  *d->last_entry[s] = e;
  d->last_entry[s] = &e->next;
  return e;
}

// ---- closures ------------------------------------------------------------------------------------

const char* jimport_end_text(jimport_draft* d, jimport_end e) {
  return jimport_text(d, "%s.%s", e.body->name, e.point ? e.point : "origin");
}

static void add_closure(jimport_draft* d, const char* name, jimport_end a, jimport_end b,
                        const char* value) {
  a.body->is_closed = b.body->is_closed = true;
  d->nclosure++;
  jimport_entry_add(d, JIMPORT_CLOSURES, name, value, NULL);
}

void jimport_ball(jimport_draft* d, const char* wanted, jimport_end a, jimport_end b, int line) {
  add_closure(d, jimport_name(d, wanted, NULL, line), a, b,
              jimport_text(d, "{type: ball, a: %s, b: %s}", jimport_end_text(d, a),
                           jimport_end_text(d, b)));
}

void jimport_distance(jimport_draft* d, const char* wanted, jimport_end a, jimport_end b,
                      double length, int line) {
  add_closure(d, jimport_name(d, wanted, NULL, line), a, b,
              jimport_text(d, "{type: distance, a: %s, b: %s, length: %s}", jimport_end_text(d, a),
                           jimport_end_text(d, b), jimport_number(d, length)));
}

// A direction of the body's frame that is R e_k of the other's: one of its axes, or a vector of its own.
static const char* direction(jimport_draft* d, jimport_body* b, double R[3][3], int k,
                             const char* name) {
  double v[3] = {R[0][k], R[1][k], R[2][k]};
  for (int i = 0; i < 3; i++) {
    if (v[i] == 1.0) return jimport_text(d, "%s.%c", b->name, "xyz"[i]);
  }
  const char* wanted = jimport_text(d, "%s_%c", name, "xyz"[k]);
  return jimport_text(d, "%s.%s", b->name, jimport_vector_add(d, b, wanted, v));
}

void jimport_weld(jimport_draft* d, const char* wanted, jimport_end a, jimport_end b,
                  double R[3][3], int line) {
  // the ground has no vectors of its own: it is the side whose axes are taken as they are
  double T[3][3];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      T[i][j] = R[j][i];
    }
  }
  bool swaps = b.body == &d->ground;
  jimport_end fixed = swaps ? b : a, other = swaps ? a : b;
  // columns: axes of `fixed` in the frame of `other`
  double(*axes)[3] = swaps ? R : T;
  const char* name = jimport_name(d, wanted, NULL, line);
  const char *z = direction(d, other.body, axes, 2, name),
             *y = direction(d, other.body, axes, 1, name);
  add_closure(
      d, name, fixed, other,
      jimport_text(d, "{type: revolute, a: %s, b: %s, axis_a: %s.z, axis_b: %s}",
                   jimport_end_text(d, fixed), jimport_end_text(d, other), fixed.body->name, z));
  const char* turn = jimport_name(d, jimport_text(d, "%s_turn", name), NULL, line);
  add_closure(d, turn, fixed, other,
              jimport_text(d, "{type: perpendicular, a: %s.x, b: %s}", fixed.body->name, y));
}

// ---- bodies without mass -------------------------------------------------------------------------

#define NOTHING 1e-18  // [kg m^2] for each kilogram: rounding
#define LEVELS  400    // of joints that a body is looked at from; further in they carry something

// Where the joint's point is, vehicle coordinates.
static void joint_place(const jimport_joint* j, double out[3]) {
  static const double origin[3] = {0};
  const double* x = origin;
  for (const jimport_vector* v = j->at_child ? j->child->point : NULL; v; v = v->next) {
    if (strcmp(v->name, j->at_child) == 0) x = v->x;
  }
  jimport_place(&j->child->design, x, out);
}

// u^T I u + m |u x (c - p)|^2      of a body about the axis u of a joint through p
static double turned(const jimport_body* b, const jimport_joint* j) {
  static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  double u[3], p[3], c[3], r[3], lever[3], sum = 0.0;
  jimport_pose design = b->design;
  jimport_turn_back(design.R, j->axis[0], u);
  joint_place(j, p);
  jimport_place(&b->design, b->com, c);
  for (int i = 0; i < 3; i++) {
    r[i] = c[i] - p[i];
    for (int k = 0; k < 3; k++) {
      sum += u[i] * b->inertia[at[i][k]] * u[k];
    }
  }
  jimport_cross(j->axis[0], r, lever);
  double length = jimport_length(lever);
  sum += b->mass * length * length;
  return sum > NOTHING * b->mass ? sum : 0.0;
}

static double share(const jimport_body* b, const jimport_joint* j) {
  if (strcmp(j->type, "prismatic") == 0) return b->mass;
  if (strcmp(j->type, "revolute") == 0) return turned(b, j);
  return b->mass + b->inertia[0] + b->inertia[1] + b->inertia[2];
}

// What the joints between the ground and a body move of it.
static void add_shares(const jimport_body* b) {
  int level = 0;
  for (const jimport_body* up = b; up && up->carrier; up = up->parent) {
    if (++level > LEVELS && up->carrier->moved > 0.0) break;
    up->carrier->moved += level > LEVELS ? 1.0 : share(b, up->carrier);
  }
}

static void give_mass(jimport_draft* d, jimport_joint* j) {
  static const double little[3] = {1e-5, 1e-5, 1e-5}, none[6] = {0};
  jimport_body* b = j->child;
  if (b->mass == 0.0) b->mass = 1e-2;
  if (memcmp(b->inertia, none, sizeof none) == 0) memcpy(b->inertia, little, sizeof little);
  b->comment = "to fill in: mass, com, inertia";
  jimport_remark_add(d, JIMPORT_TO_FILL, j->line,
                     "body %s lacks mass or inertia and is held by closures: a few grams stand in",
                     b->name);
  add_shares(b);
}

static void settle(jimport_draft* d, jimport_joint* j) {
  bool moves = strcmp(j->type, "fixed") != 0 && !j->drive;
  if (!moves || j->moved > 0.0) return;
  if (j->child->is_closed) {
    give_mass(d, j);
    return;
  }
  j->comment = jimport_text(d, "%s in the source, but nothing that has mass would move", j->type);
  jimport_remark_add(d, JIMPORT_CHANGED, j->line,
                     "joint %s (%s) would move nothing that has mass or inertia: it is fixed",
                     j->name, j->type);
  j->type = "fixed";
  j->naxis = 0;
  j->guess = 0.0;
  j->independent = -1;
  j->is_settled = true;
}

// What was on joints that are fixed now.
static void drop_entries(jimport_draft* d, jimport_section s) {
  for (jimport_entry** e = &d->entry[s]; *e;) {
    bool is_gone = (*e)->on && (*e)->on->is_settled;
    if (is_gone) {
      jimport_remark_add(d, JIMPORT_LOST, (*e)->on->line, "%s of joint %s, which is fixed",
                         (*e)->name, (*e)->on->name);
      *e = (*e)->next;
    } else {
      e = &(*e)->next;
    }
    if (!*e) d->last_entry[s] = e;
  }
}

void jimport_settle_mass(jimport_draft* d) {
  for (jimport_body* b = d->body; b; b = b->next) {
    add_shares(b);
    for (jimport_body* up = b->is_closed ? b->parent : NULL; up && !up->is_closed;
         up = up->parent) {
      up->is_closed = true;
    }
  }
  for (jimport_joint* j = d->joint; j; j = j->next) {
    settle(d, j);
  }
  drop_entries(d, JIMPORT_FORCES);
  drop_entries(d, JIMPORT_INITIAL);
}

// ---- what nobody asked for -----------------------------------------------------------------------

typedef struct unread {
  const char* what;
  int line, n;
  struct unread* next;
} unread;

typedef struct unread_list {
  unread *first, **last;
  jimport_table* seen;
} unread_list;

static void count(jimport_draft* d, unread_list* list, const char* what, int line) {
  unread* u = jimport_table_get(list->seen, what);
  if (!u) {
    u = JARENA_NEW(d->a, unread);
    if (!u) {
      d->failed = true;
      return;
    }
    *u = (unread){.what = what, .line = line};
    jimport_table_put(d, list->seen, what, u);
    *list->last = u;
    list->last = &u->next;
  }
  u->n++;
}

static void look(jimport_draft* d, jimport_node* node, const char* path, unread_list* list) {
  if (!node->is_read) {
    count(d, list, jimport_text(d, "<%s>", path), node->line);
    return;
  }
  for (jimport_attribute* t = node->attribute; t; t = t->next) {
    if (t->is_read) continue;
    const char* name = jimport_show(d, t->name);
    count(d, list, jimport_text(d, "%s of <%s>", name, path), node->line);
  }
  // deep trees of bodies within bodies are one kind of thing
  for (jimport_node* c = node->first; c; c = c->next) {
    const char* name = jimport_show(d, c->name);
    bool is_nested = strcmp(c->name, node->name) == 0;
    look(d, c, is_nested ? path : node->parent ? jimport_text(d, "%s/%s", path, name) : name, list);
  }
}

void jimport_remark_unread(jimport_draft* d, jimport_node* root) {
  unread_list list = {.last = &list.first, .seen = jimport_table_new(d)};
  root->is_read = true;
  look(d, root, jimport_show(d, root->name), &list);
  for (const unread* u = list.first; u; u = u->next) {
    if (u->n == 1) {
      jimport_remark_add(d, JIMPORT_LOST, u->line, "%s", u->what);
    } else {
      jimport_remark_add(d, JIMPORT_LOST, u->line, "%s, and %d more of them", u->what, u->n - 1);
    }
  }
}
