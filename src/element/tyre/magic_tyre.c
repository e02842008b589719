// SPDX-License-Identifier: Apache-2.0
// A Magic Formula tyre of a model: its property file, contact with the road, slips that follow with their
// relaxation lengths, down to standstill. docs/theory/magic_formula.md eqs. (M36)-(M46).
#include <string.h>

#include "base/system/file.h"
#include "element/list.h"
#include "element/tyre/contact.h"
#include "element/tyre/magic_formula.h"
#include "element/tyre/magic_power.h"
#include "element/tyre/patch.h"
#include "model/tyre/tir_signs.h"

#define MAX_BYTES    ((size_t)1 << 20)
#define LEAST_LENGTH 0.05   // of relaxation, per radius (M40)
#define LEAST_LOAD   1e-6   // of what formulas see, per nominal load (M38)
#define LIGHT_LOAD   0.01   // where they see more, per nominal load (M38)
#define LOAD_WIDTH   0.005  // of the largest load, of itself (M48)
#define TURNING      0.1    // speed over which forward becomes backward, per low speed (M43)
#define ROUNDS       3      // of load and forces of 6.x

typedef struct sign {
  jmodel_scalar nominal, at_pressure;  // more than 0 at the nominal load
  jmodel_scalar outside[3];            // load of its zero, least and most load
} sign;

typedef struct magic {
  jelement_wheel wheel;
  jelement_contact contact;
  jmodel_tir_version version;
  bool ellipse, is_mirrored, has_pressure;
  jmodel_scalar c[JTIR_COUNT];
  jmodel_scalar friction, pressure;  // behind the coefficients: judged together with them
  jmodel_scalar damping_time;
  sign sign[JTIR_SIGNS];
  bool has_expression;  // the pressure is one, of what may change
} magic;

static const char* const sides[] = {"left", "right", NULL};
static const char* const ways[] = {"file", "formula", "ellipse", NULL};
static const jmodel_key keys[] = {
    {JMODEL_KEY_TEXT("file")},
    {JMODEL_KEY_AS("wheel", jmodel_form_body)},
    {JMODEL_KEY_AS("centre", jmodel_form_point)},
    {JMODEL_KEY_AS("axis", jmodel_form_direction)},
    {JMODEL_KEY_WORD("side", sides)},
    {JMODEL_KEY_NUMBER("friction")},
    {JMODEL_KEY_NUMBER("pressure")},
    {JMODEL_KEY_BY_NAME("scale", jmodel_form_number), .words = jmodel_tir_scales},
    {JMODEL_KEY_BY_NAME("coefficients", jmodel_form_number), .words = jmodel_tir_names},
    {JMODEL_KEY_WORD("combined", ways)},
    {JMODEL_KEY_NUMBER("damping_time")},
    {JMODEL_KEY_AS("contact", jelement_contact_form)},
    {JMODEL_KEY_DESCRIPTION},
    {0}};

#define COEFFICIENT(name, limit) JMODEL_FIELD(magic, #name, c[JTIR_##name], limit),
#define COEFFICIENT_ANY(name)
#define COEFFICIENT_POSITIVE(name)     COEFFICIENT(name, JMODEL_POSITIVE)
#define COEFFICIENT_NOT_NEGATIVE(name) COEFFICIENT(name, JMODEL_NOT_NEGATIVE)
#define COEFFICIENT_NOT_ZERO(name)     COEFFICIENT(name, JMODEL_NOT_ZERO)

static const jmodel_field fields[] = {
    JMODEL_DIRECTION(magic, "axis", wheel.axis.v),
    JELEMENT_CONTACT_FIELDS(magic, contact),
    JMODEL_FIELD_IN(magic, "friction", friction, JMODEL_POSITIVE, "1"),
    JMODEL_GIVEN_IN(magic, "pressure", pressure, JMODEL_POSITIVE, has_pressure, "Pa"),
    JMODEL_FIELD_IN(magic, "damping_time", damping_time, JMODEL_NOT_NEGATIVE, "s"),
#define TIR(name, otherwise, dimension, group, range) COEFFICIENT_##range(name)
#include "model/tyre/tir.def"
#define SIGN(what, from, c1, c2, nominal_value, zero)                                            \
  JMODEL_FIELD(magic, what " at the nominal load (from " from ")", sign[JTIR_SIGN_##c1].nominal, \
               JMODEL_RIGHT_WAY),                                                                \
      JMODEL_GIVEN(magic, what " at the nominal load and this pressure (from " from ")",         \
                   sign[JTIR_SIGN_##c1].at_pressure, JMODEL_RIGHT_WAY, has_expression),          \
      JMODEL_OUTSIDE(magic, what " (" #c1 ", " #c2 ")", sign[JTIR_SIGN_##c1].outside),
#include "model/tyre/tir_signs.def"
    JMODEL_TOGETHER(magic, "forces", c, JTIR_COUNT + 2),
};

enum {
  FX,
  FY,
  FZ,
  MX,
  MY,
  MZ,
  KAPPA,
  ALPHA,
  GAMMA,
  VX,
  VY,
  SLIP_SPEED_X,
  DELTA,
  DEFLECTION,
  LOADED_RADIUS,
  ROLLING_RADIUS,
  SPIN,
  SIGMA_KAPPA,
  SIGMA_ALPHA,
  POWER
};
static const char* const signals[] = {"fx",
                                      "fy",
                                      "fz",
                                      "mx",
                                      "my",
                                      "mz",
                                      "kappa",
                                      "alpha",
                                      "gamma",
                                      "vx",
                                      "vy",
                                      "vsx",
                                      "delta",
                                      "deflection",
                                      "loaded_radius",
                                      "rolling_radius",
                                      "spin",
                                      "sigma_kappa",
                                      "sigma_alpha",
                                      "power",
                                      NULL};
static const char* const component[] = {"fz"};

// ---- reading -------------------------------------------------------------------------------------

// The property file, found from the file that names it; its text is part of the model. `is_read`: coefficients that the
// model gives itself.
static bool read_file(const jmodel_at* at, const jmodel_node* node, const bool* is_read,
                      jmodel_tir* tir) {
  jmodel_reader* r = at->r;
  if (!jmodel_is(at, node, JMODEL_NODE_TEXT, "file")) return false;
  const char* path = jfile_beside(&r->m->arena, node->place.file, node->text);
  if (!path) {
    jmodel_out_of_memory(r);
    return false;
  }
  char* text;
  size_t n;
  jo_status status = jfile_exists(path)
                         ? jfile_read(r->ctx, &r->scratch, path, MAX_BYTES, &text, &n)
                         : JO_ERR_FILE;
  if (status >= 0) {
    jsha256_add(&r->sha, text, n);
    status = jmodel_tir_parse(r->ctx, &r->m->arena, text, n, path, tir);
  }
  if (status >= 0) status = jmodel_tir_finish(r->ctx, tir, JTIR_WHEELS, is_read);
  if (status == JO_ERR_MEMORY) r->oom = true;
  if (status < 0) {
    bool is_there = jfile_exists(path);
    jmodel_mistake(at, node->place, "file: '%.200s' %s", node->text,
                   is_there ? "cannot be used" : "is no file beside this one");
  }
  return status >= 0;
}

// Coefficients of the file and what the model says of them instead.
static void read_coefficients(const jmodel_at* at, const jmodel_node* map, const char* key,
                              bool scales_only, bool* is_read, magic* y) {
  jmodel_reader* r = at->r;
  const jmodel_node* node = jmodel_node_find(map, key);
  if (!node || !jmodel_is(at, node, JMODEL_NODE_MAP, key)) return;
  for (const jmodel_node* c = node->first; c; c = c->next) {
    int i = jmodel_tir_find(c->key);
    if (i >= 0 && scales_only && jmodel_tir_table[i].group != JTIR_GROUP_SCALE) i = -1;
    if (i < 0) {
      const char* best = jmodel_tir_guess(c->key);
      jmodel_mistake(at, c->key_place, "%s: unknown %s '%.60s'%s", key,
                     scales_only ? "scale factor" : "coefficient", c->key,
                     best ? jmodel_format(r, "; did you mean '%s'?", best) : "");
      continue;
    }
    if (is_read[i]) {
      jmodel_mistake(at, c->key_place, "%s is given twice", jmodel_tir_table[i].name);
      continue;
    }
    is_read[i] = true;
    const char* name = jmodel_tir_table[i].name;
    y->c[i] = jmodel_scalar_at(at, c, name, jmodel_format(r, "%s.%s", at->path, name),
                               JMODEL_SCOPE_PARAMETERS);
    if (y->c[i].number >= 0 && !r->oom) {
      r->m->number[y->c[i].number].also = jmodel_format(r, "%s.%s.%s", at->path, key, c->key);
    }
  }
}

static void take_coefficients(const jmodel_at* at, const jmodel_tir* tir, jmodel_place place,
                              const bool* is_read, magic* y) {
  jmodel_reader* r = at->r;
  for (int i = 0; i < JTIR_COUNT; i++) {
    if (is_read[i]) continue;
    if (tir->line[i] == 0 && i != JTIR_INFLPRES) {
      // what the file does not have is no number of the model
      const char* text = tir->value[i] == 0.0 ? "0" : tir->value[i] == 1.0 ? "1" : "2";
      y->c[i] = jmodel_constant(text, place);
      continue;
    }
    if (i == JTIR_INFLPRES && tir->line[i] == 0 && is_read[JTIR_NOMPRES]) {
      y->c[i] = y->c[JTIR_NOMPRES];
      continue;
    }
    jmodel_place from = {tir->path, tir->line[i]};
    y->c[i] = jmodel_default(r, jmodel_format(r, "%s.%s", at->path, jmodel_tir_table[i].name),
                             tir->value[i], from);
  }
}

static void read_pressure(const jmodel_at* at, const jmodel_node* map, magic* y) {
  const jmodel_node* node = jmodel_node_find(map, "pressure");
  y->has_pressure = y->version != JTIR_52;
  if (node && !y->has_pressure) {
    jmodel_mistake(at, node->key_place, "pressure: the formulas of MF 5.2 have none");
  }
  if (!y->has_pressure) {
    y->pressure = jmodel_constant("0", y->c[JTIR_FNOMIN].place);
    return;
  }
  if (!jmodel_get_scalar(at, map, "pressure", JMODEL_SCOPE_ANY, &y->pressure)) {
    y->pressure = y->c[JTIR_INFLPRES];
  }
}

// Where forces point the way the tyre slides. What is not known has its nominal value.
static jo_status judge(jo_context* ctx, jarena* a, const jmodel_element* e, const double* value,
                       const char** text, int* blamed) {
  const magic* y = e->data;
  double friction = value[JTIR_COUNT], p = value[JTIR_COUNT + 1];
  if (!(friction > 0.0)) friction = 1.0;
  if (!(p > 0.0)) p = value[JTIR_NOMPRES];
  jelement_magic_values v = {y->version, y->ellipse, value, friction, p};
  return jelement_magic_judge(ctx, a, &v, text, blamed);
}

// ---- signs of forces

typedef struct sign_writer {
  const jmodel* m;
  const magic* y;
  bool is_at_pressure;  // of the tyre, else the nominal one
} sign_writer;

static const char* text_of(const sign_writer* w, const jmodel_scalar* s) {
  return s->number >= 0 ? w->m->number[s->number].path : s->text;
}

static const char* sign_text(void* user, jarena* a, int i) {
  const sign_writer* w = user;
  if (i < JTIR_COUNT) return text_of(w, &w->y->c[i]);
  if (!w->y->has_pressure || !w->is_at_pressure) return "0";  // dp (M2)
  return jarena_printf(a, "(%s)/(%s) - 1", text_of(w, &w->y->pressure),
                       text_of(w, &w->y->c[JTIR_NOMPRES]));
}

static jmodel_scalar sign_scalar(const jmodel_at* at, sign_writer* w, const char* formula, int c) {
  const char* text = jmodel_tir_write(&at->r->m->arena, formula, sign_text, w);
  if (!text) jmodel_out_of_memory(at->r);
  return jmodel_constant(text ? text : "1", w->y->c[c].place);
}

// Expressions for what forces must have the sign of, whoever gives the coefficients values.
static void add_signs(const jmodel_at* at, magic* y) {
  const char* most = y->c[JTIR_FZMAX].text;
  bool has_most = !most || strcmp(most, "0") != 0;
  y->has_expression = y->has_pressure && y->pressure.number < 0;
  for (int i = 0; i < JTIR_SIGNS && !at->r->oom; i++) {
    const jmodel_tir_sign* s = &jmodel_tir_sign_table[i];
    sign_writer w = {at->r->m, y, true};
    int c = s->c1 == JTIR_PKY2 ? JTIR_PKY1 : s->c1;
    y->sign[i].at_pressure = sign_scalar(at, &w, s->nominal, c);
    w.is_at_pressure = !y->has_expression;
    y->sign[i].nominal = sign_scalar(at, &w, s->nominal, c);
    y->sign[i].outside[0] = sign_scalar(at, &w, s->zero, s->c2);
    y->sign[i].outside[1] = sign_scalar(at, &w, jmodel_tir_least_load, s->c2);
    y->sign[i].outside[2] = sign_scalar(at, &w, jmodel_tir_most_load(has_most), s->c2);
  }
}

// A mirror image is of the other side.
static bool is_image(const jmodel_node* map) {
  int arrow[3], turn[3];
  jmodel_signs(map->in, arrow, turn);
  return arrow[0] * arrow[1] * arrow[2] < 0;
}

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  magic* y = e->data;
  jmodel_tir tir;
  const jmodel_node *side = jmodel_node_find(map, "side"), *way = jmodel_node_find(map, "combined");
  bool has_wheel = jelement_read_wheel(at, map, e->place, &y->wheel);
  bool is_read[JTIR_COUNT] = {false};
  read_coefficients(at, map, "scale", true, is_read, y);
  read_coefficients(at, map, "coefficients", false, is_read, y);
  if (!read_file(at, jmodel_node_find(map, "file"), is_read, &tir)) return false;
  y->version = tir.version;
  y->ellipse = tir.ellipse;
  int k = way ? jmodel_word_at(at, way, "combined", ways) : 0;
  if (k > 0) y->ellipse = k == 2;
  k = side ? jmodel_word_at(at, side, "side", sides) : -1;
  y->is_mirrored = (k == 0 && tir.side == JTIR_RIGHT) || (k == 1 && tir.side == JTIR_LEFT);
  if (is_image(map)) y->is_mirrored = !y->is_mirrored;
  take_coefficients(at, &tir, e->place, is_read, y);
  jelement_scalar_or(at, map, "friction", 1.0, e->place, &y->friction);
  jelement_scalar_or(at, map, "damping_time", 0.05, e->place, &y->damping_time);
  jelement_read_contact(at, map, &y->c[JTIR_UNLOADED_RADIUS], &y->contact);
  read_pressure(at, map, y);
  add_signs(at, y);
  jelement_patch_states(at, e);
  return has_wheel;
}

// ---- equations -----------------------------------------------------------------------------------

typedef struct contact {
  jelement_magic m;
  jelement_disc disc;
  jexpr_v3 b, l;          // forward and left in the plane of the road
  jexpr_ref gamma, p;     // camber, pressure
  jexpr_ref R_omega;      // free radius
  jexpr_ref vx, vy, vsx;  // of the wheel, and of slip [m/s]
  jelement_slow slow;     // (M39)
  jexpr_ref hand;         // -1: mirrored
} contact;

// sqrt(x^2 + least^2)
static jexpr_ref at_least(jgen* s, jexpr_ref x, jexpr_ref least) {
  return jexpr_sqrt(s->g, jexpr_add(s->g, jelement_square(s, x), jelement_square(s, least)));
}

static jelement_magic coefficients(jgen* s, const jmodel_element* e, const magic* y) {
  jelement_magic m = {.g = s->g, .version = y->version, .ellipse = y->ellipse, .is_smooth = true};
  for (int i = 0; i < JTIR_COUNT; i++) {
    m.c[i] = jgen_scalar(s, &y->c[i], e->name);
  }
  jexpr_ref friction = jgen_scalar(s, &y->friction, e->name);
  m.c[JTIR_LMUX] = jexpr_mul(s->g, m.c[JTIR_LMUX], friction);
  m.c[JTIR_LMUY] = jexpr_mul(s->g, m.c[JTIR_LMUY], friction);
  return m;
}

// (M36) directions and speeds, camber, free radius
static contact contact_of(jgen* s, const jmodel_element* e) {
  const magic* y = e->data;
  jexpr_graph* g = s->g;
  contact c = {.m = coefficients(s, e, y)};
  c.disc =
      jelement_disc_on_road(s, e, &y->wheel, &y->contact, &y->c[JTIR_UNLOADED_RADIUS], true, true);
  const jelement_disc* d = &c.disc;
  c.b = jexpr_v3_scale(g, d->inverse, jexpr_v3_cross(g, d->u, d->hub.n));
  c.l = jexpr_v3_cross(g, d->hub.n, c.b);
  c.gamma = jexpr_atan(g, jexpr_mul(g, d->un, d->inverse));
  c.p = y->has_pressure ? jgen_scalar(s, &y->pressure, e->name) : s->zero;
  c.hand = jexpr_const(g, y->is_mirrored ? -1.0 : 1.0);
  c.R_omega = jelement_magic_free_radius(&c.m, d->spin);
  jexpr_v3 w = jelement_disc_turning(s, d);
  jexpr_v3 at_ground = jexpr_v3_add(g, d->hub.v, jexpr_v3_cross(g, w, d->arm));
  c.vx = jexpr_v3_dot(g, d->hub.v, c.b);
  c.vy = jexpr_v3_dot(g, at_ground, c.l);
  c.slow = jelement_slow_at(s, c.vx, c.m.c[JTIR_VXLOW]);
  return c;
}

// A load that is never zero (M38). Of the wheel, where it is not negative, its slope is 1 at zero too: a step begins there
// where it lands. Rounds of the load may be at any.
static jexpr_ref some_load(jgen* s, const contact* c, jexpr_ref fz) {
  jexpr_graph* g = s->g;
  jexpr_ref nominal = c->m.c[JTIR_FNOMIN];
  jexpr_ref least = jexpr_mul(g, jexpr_const(g, LEAST_LOAD), nominal);
  if (c->m.has_soft_limits) return at_least(s, fz, least);
  jexpr_ref n = jexpr_div(g, fz, jexpr_mul(g, jexpr_const(g, LIGHT_LOAD), nominal));
  jexpr_ref fade = jexpr_exp(g, jexpr_neg(g, jelement_square(s, n)));
  return jexpr_add(g, fz, jexpr_mul(g, least, fade));
}

// Held inside of the range of the file, where it gives one (M38)
static jexpr_ref hold(jgen* s, const contact* c, jexpr_ref x, int low, int high) {
  jexpr_ref from = c->m.c[low], to = c->m.c[high];
  if (!jexpr_is_value(s->g, to, 0.0)) x = jexpr_min(s->g, x, to);
  if (!jexpr_is_value(s->g, from, 0.0)) x = jexpr_max(s->g, x, from);
  return x;
}

static jexpr_ref camber_for_formulas(jgen* s, const contact* c) {
  return hold(s, c, jexpr_mul(s->g, c->hand, c->gamma), JTIR_CAMMIN, JTIR_CAMMAX);
}

static jexpr_ref load_for_formulas(jgen* s, const contact* c, jexpr_ref fz) {
  jexpr_graph* g = s->g;
  jexpr_ref most = c->m.c[JTIR_FZMAX];
  if (jexpr_is_value(g, most, 0.0)) return some_load(s, c, fz);
  jexpr_ref width = jexpr_mul(g, jexpr_const(g, LOAD_WIDTH), most);
  return some_load(s, c,
                   c->m.has_soft_limits ? jelement_magic_soft_min(&c->m, fz, most, width)
                                        : jexpr_min(g, fz, most));
}

// Forces at a load that may be zero (M38): formulas see a little more, and what they give is brought back, to the load
// `to`: fz, or 1 for forces per load.
static jelement_magic_force forces_at(jgen* s, const contact* c, jexpr_ref fz, jexpr_ref to,
                                      jexpr_ref kappa, jexpr_ref tan_alpha) {
  jexpr_graph* g = s->g;
  jexpr_ref load = load_for_formulas(s, c, fz), part = jexpr_div(g, to, some_load(s, c, fz));
  jexpr_ref turning = jexpr_mul(g, jexpr_const(g, TURNING), c->m.c[JTIR_VXLOW]);
  jexpr_ref rolling = jexpr_mul(g, c->disc.spin, c->m.c[JTIR_UNLOADED_RADIUS]);
  // (M42), (M43)
  jelement_magic_input in = {.fz = load, .kappa = kappa, .vx = c->vx, .p = c->p};
  in.alpha = jexpr_mul(g, c->hand, jexpr_atan(g, tan_alpha));
  in.gamma = camber_for_formulas(s, c);
  in.shifts = jexpr_sub(g, s->one, c->slow.low);
  in.sense = jexpr_tanh(g, jexpr_div(g, c->vx, turning));
  in.roll = jexpr_tanh(g, jexpr_div(g, rolling, turning));
  jelement_magic_force f = jelement_magic_forces(&c->m, in);
  jexpr_ref side = jexpr_mul(g, part, c->hand);
  f.Fx = jexpr_mul(g, f.Fx, part);
  f.My = jexpr_mul(g, f.My, part);
  f.Fy = jexpr_mul(g, f.Fy, side);
  f.Mx = jexpr_mul(g, f.Mx, side);
  f.Mz = jexpr_mul(g, f.Mz, side);
  return f;
}

// (M37) what pushes, from the loaded radius and the forces per load; negative: nothing does
static jexpr_ref push_at(jgen* s, const jmodel_element* e, const contact* c, jexpr_ref fx,
                         jexpr_ref fy, jexpr_ref* rho) {
  jexpr_graph* g = s->g;
  jelement_magic_load in = {.fx = fx, .fy = jexpr_mul(g, c->hand, fy), .omega = c->disc.spin};
  in.gamma = camber_for_formulas(s, c);
  in.p = c->p;
  jexpr_ref elastic = jelement_magic_load_of(&c->m, &in, c->R_omega, c->disc.loaded, rho);
  jexpr_ref rising = jexpr_v3_dot(g, c->disc.hub.v, c->disc.hub.n);
  jexpr_ref viscous = jexpr_mul(g, c->m.c[JTIR_VERTICAL_DAMPING], rising);
  jexpr_mark(g, *rho, "%s: deflection", e->name);
  return jexpr_sub(g, elastic, viscous);
}

// Slips of the contact patch, which follow those of the wheel. Where it slides the length in which they do so is
// shorter, as the deflection of the tyre grows with the force and no longer with the slip.
typedef struct slips {
  jelement_patch x, y;
  jexpr_ref kappa, tan_alpha;  // for the formulas (M42)
} slips;

static jexpr_ref length_of(jgen* s, const contact* c, jexpr_ref sigma) {
  jexpr_ref least = jexpr_mul(s->g, jexpr_const(s->g, LEAST_LENGTH), c->m.c[JTIR_UNLOADED_RADIUS]);
  return at_least(s, sigma, least);
}

// (K_x x / D_x)^2 + (K_y y / D_y)^2, 1 where forces leave their straight lines
static jexpr_ref saturation(jgen* s, const jelement_magic_force* f, jexpr_ref load, jexpr_ref x,
                            jexpr_ref y) {
  jexpr_graph* g = s->g;
  jexpr_ref kx = jexpr_div(g, f->Kxk, jexpr_mul(g, f->mu_x, load));
  jexpr_ref ky = jexpr_div(g, f->Kya, jexpr_mul(g, f->mu_y, load));
  return jexpr_add(g, jelement_square(s, jexpr_mul(g, kx, x)),
                   jelement_square(s, jexpr_mul(g, ky, y)));
}

static slips slips_of(jgen* s, const jmodel_element* e, const contact* c, jexpr_ref fz,
                      const jelement_magic_force* at_rest) {
  const magic* y = e->data;
  jexpr_ref load = load_for_formulas(s, c, fz);
  slips k = {.x.slip = jgen_own_state(s, e, JELEMENT_SX),
             .y.slip = jgen_own_state(s, e, JELEMENT_SY)};
  // (M40)
  k.x.part = k.y.part = jelement_patch_part(s, saturation(s, at_rest, load, k.x.slip, k.y.slip));
  k.x.sigma = length_of(s, c, at_rest->sigma_kappa);
  k.y.sigma = length_of(s, c, at_rest->sigma_alpha);
  // (M41)
  k.x.slide = c->vsx;
  k.x.is_against = true;
  k.y.slide = c->vy;
  k.x.moving = k.y.moving =
      jelement_patch_moving(s, &c->slow, saturation(s, at_rest, load, c->vsx, c->vy));
  // (M42)
  jexpr_ref time = jgen_scalar(s, &y->damping_time, e->name);
  k.kappa = jelement_patch_slip(s, &c->slow, &k.x, time);
  k.tan_alpha = jelement_patch_slip(s, &c->slow, &k.y, time);
  return k;
}

// The load depends on the forces only by what 6.x loses to them.
static bool is_soft(jgen* s, const jelement_magic* m) {
  return m->version != JTIR_52 && !(jexpr_is_value(s->g, m->c[JTIR_Q_FCX], 0.0) &&
                                    jexpr_is_value(s->g, m->c[JTIR_Q_FCY], 0.0));
}

// Slips and forces at a load.
static jelement_magic_force roll_at(jgen* s, const jmodel_element* e, contact* c, jexpr_ref fz,
                                    jexpr_ref to, jexpr_ref* R_e, slips* k) {
  *R_e = jelement_magic_rolling_radius(&c->m, c->R_omega, fz, c->p);
  c->vsx = jexpr_sub(s->g, c->vx, jexpr_mul(s->g, c->disc.spin, *R_e));
  jelement_magic_force f = forces_at(s, c, fz, to, s->zero, s->zero);
  *k = slips_of(s, e, c, fz, &f);
  return forces_at(s, c, fz, to, k->kappa, k->tan_alpha);
}

// The limit of a sequence that converges by the same factor q every time (Aitken), from its last three. In place of q is
// q / (1 + q^8), below 0.7: the limit has a pole at q = 1, and where forces change by more than the load does, as with a
// slip stiffness that changes its sign, the difference before passes zero. A bound on q alone would leave a jump of the load
// there. The least load beside the differences keeps q defined where all has converged.
static jexpr_ref limit_of(jgen* s, const contact* c, const jexpr_ref* x) {
  jexpr_graph* g = s->g;
  jexpr_ref before = jexpr_sub(g, x[1], x[0]), last = jexpr_sub(g, x[2], x[1]);
  jexpr_ref least = jexpr_mul(g, jexpr_const(g, LEAST_LOAD), c->m.c[JTIR_FNOMIN]);
  jexpr_ref part[] = {jelement_square(s, before), jelement_square(s, last),
                      jelement_square(s, least)};
  jexpr_ref all = jexpr_add(g, jexpr_add(g, part[0], part[1]), part[2]), powers = s->zero;
  for (int i = 0; i < JELEMENT_COUNT(part); i++) {
    part[i] = jexpr_div(g, part[i], all);
    powers = jexpr_add(g, powers, jelement_square(s, jelement_square(s, part[i])));
  }
  jexpr_ref both = jexpr_div(g, jexpr_mul(g, last, before), all);
  jexpr_ref cube = jexpr_mul(g, jelement_square(s, part[0]), part[0]);
  jexpr_ref q = jexpr_div(g, jexpr_mul(g, both, cube), powers);
  jexpr_ref rest = jexpr_div(g, q, jexpr_sub(g, s->one, q));
  return jexpr_add(g, x[2], jexpr_mul(g, last, rest));
}

// (M37) What pushes of 6.x, which loses to the forces that come from it: those per load change little. Nothing is
// switched on the way: each round would have conditions of its own, all of them within 1e-6 s of those of the result.
static jexpr_ref soft_push(jgen* s, const jmodel_element* e, const contact* c, jexpr_ref push,
                           jexpr_ref* rho) {
  contact round = *c;
  round.m.has_soft_limits = true;
  jexpr_ref x[ROUNDS], R_e;
  slips k;
  for (int i = 0; i < ROUNDS; i++) {
    jexpr_ref at = i > 0 ? x[i - 1] : push;
    jelement_magic_force f = roll_at(s, e, &round, at, s->one, &R_e, &k);
    x[i] = push_at(s, e, &round, f.Fx, f.Fy, rho);
  }
  return limit_of(s, c, &x[ROUNDS - 3]);
}

static void write(jgen* s, const jmodel_element* e, jgen_element* out) {
  jexpr_graph* g = s->g;
  jexpr_ref *signal = out->signal, rho, R_e;
  contact c = contact_of(s, e);
  slips k;
  jexpr_ref push = push_at(s, e, &c, s->zero, s->zero, &rho);
  if (is_soft(s, &c.m)) push = soft_push(s, e, &c, push, &rho);
  jexpr_ref is_down =
      jelement_is_down(s, e, jexpr_mul(g, c.m.c[JTIR_VERTICAL_STIFFNESS], rho), push);
  jexpr_ref fz = jexpr_select(g, is_down, push, s->zero);
  signal[FZ] = jgen_component(s, e, 0, jexpr_mark(g, fz, "%s: Fz", e->name));
  jelement_magic_force f = roll_at(s, e, &c, signal[FZ], signal[FZ], &R_e, &k);
  out->rate[JELEMENT_SX] = jelement_patch_rate(s, &k.x, is_down);
  out->rate[JELEMENT_SY] = jelement_patch_rate(s, &k.y, is_down);

  signal[FX] = jexpr_mark(g, f.Fx, "%s: Fx", e->name);
  signal[FY] = jexpr_mark(g, f.Fy, "%s: Fy", e->name);
  signal[MX] = f.Mx;
  signal[MY] = f.My;
  signal[MZ] = f.Mz;
  signal[KAPPA] = k.kappa;
  signal[ALPHA] = jexpr_atan(g, k.tan_alpha);
  signal[GAMMA] = c.gamma;
  signal[VX] = c.vx;
  signal[VY] = c.vy;
  signal[SLIP_SPEED_X] = c.vsx;
  signal[DELTA] = signal[DEFLECTION] = out->delta = rho;
  signal[LOADED_RADIUS] = c.disc.loaded;
  signal[ROLLING_RADIUS] = R_e;
  signal[SPIN] = c.disc.spin;
  signal[SIGMA_KAPPA] = k.x.sigma;
  signal[SIGMA_ALPHA] = k.y.sigma;

  // (M44), (M45) force and moment on the wheel at the contact point
  jexpr_v3 n = c.disc.hub.n;
  jexpr_v3 F = jexpr_v3_add(g, jexpr_v3_scale(g, f.Fx, c.b), jexpr_v3_scale(g, f.Fy, c.l));
  jexpr_v3 M = jexpr_v3_add(g, jexpr_v3_scale(g, f.Mx, c.b), jexpr_v3_scale(g, f.My, c.l));
  F = jexpr_v3_add(g, F, jexpr_v3_scale(g, signal[FZ], n));
  M = jexpr_v3_add(g, M, jexpr_v3_scale(g, f.Mz, n));
  signal[POWER] = jelement_push_disc(s, &c.disc, F, M);
}

static int draw(const jmodel_element* e, jmodel_shape* out) {
  const magic* y = e->data;
  return jelement_draw_wheel(&y->wheel, &y->c[JTIR_UNLOADED_RADIUS], out);
}

const jgen_element_class jelement_magic_tyre = {
    .model = {.kind = "tyre",
              .section = "tyres",
              .key = "file",
              .keys = keys,
              .about = "Tyres of a property file, Magic Formula",
              .size = sizeof(magic),
              JELEMENT_ONE_FORCE(component),
              .read = read,
              .mirrors = true,
              .spins = true,
              JELEMENT_FIELDS(fields),
              .judge = judge,
              .draw = draw},
    .signal = signals,
    .what = "a force",
    .write = write};
