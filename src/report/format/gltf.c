// SPDX-License-Identifier: Apache-2.0
// Binary glTF 2.0 (Khronos Group, "glTF 2.0 Specification"): a header, a chunk of JSON and a chunk of numbers,
// little-endian floats and indices that accessors of the JSON point into.
#include "report/format/gltf.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/system/file.h"
#include "base/text/text.h"
#include "report/plot/solid.h"

#define STICK    0.004  // radius of sticks by the size of the scene
#define THINNEST 5e-4   // [m]
#define NO_LESS  1e-6   // length of a line [m]: nodes of no length have no inverse

// what accessors hold
enum { FLOAT = 5126, UNSIGNED_INT = 5125, VERTICES = 34962, INDICES = 34963 };

// Colours of the report's replay.
enum { INK, SPRING, ROD, TYRE, SPOKE, MARK, LIGHT, DARK, EDGE, GROUND, PALETTE, NPALETTE = 7 };

// The JSON grows in parts, the numbers in one.
typedef struct writer {
  jo_context* ctx;
  const jreport_scene* scene;
  const jscene_replay* r;
  jtext views, accessors, materials, meshes, nodes, samplers, channels, bin;
  int nview, naccessor, nmaterial, nmesh, nnode, nsampler;
  int material[PALETTE + NPALETTE];  // by colour, from 1; 0: not yet
  jreport_solid solid;
  double stick;        // radius [m]
  int time;            // accessor; -1: nothing moves
  int nprimitive;      // of the mesh that is being written
  float* track;        // values of a channel: nframe x 4
  double (*q)[4];      // rotations by frame
  double (*place)[3];  // places by frame
} writer;

static double finite_or_zero(double x) {
  return isfinite(x) ? fmin(fmax(x, -FLT_MAX), FLT_MAX) : 0.0;
}

// ---- text ----------------------------------------------------------------------------------------

static void put_text(jtext* t, const char* s) {
  jtext_put(t, "\"");
  while (*s) {
    size_t n = 0;
    while (n < 4 && s[n]) {
      n++;
    }
    bool shows;
    n = jtext_character(s, n, &shows);
    if (n == 0) {
      jtext_put(t, "\\ufffd");
    } else if (n == 1 && ((unsigned char)*s < 0x20 || *s == '"' || *s == '\\')) {
      jtext_printf(t, "\\u%04x", (unsigned char)*s);
    } else {
      jtext_write(t, s, n);
    }
    s += n > 0 ? n : 1;
  }
  jtext_put(t, "\"");
}

// The list of a key, of what was written with a comma before each.
static void put_list(jtext* t, const char* key, const jtext* list) {
  if (list->length == 0) return;
  jtext_printf(t, ",\n\"%s\":[", key);
  jtext_put(t, list->data + 1);
  jtext_put(t, "]");
}

static void put_vector(jtext* t, const char* key, const float* x, int n) {
  jtext_printf(t, ",\"%s\":[", key);
  for (int i = 0; i < n; i++) {
    jtext_printf(t, "%s%.17g", i ? "," : "", (double)x[i]);
  }
  jtext_put(t, "]");
}

// ---- numbers -------------------------------------------------------------------------------------

static void put_u32(jtext* t, uint32_t x) {
  char b[4] = {(char)(x & 255), (char)(x >> 8 & 255), (char)(x >> 16 & 255), (char)(x >> 24)};
  jtext_write(t, b, 4);
}

static void put_float(jtext* t, float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  put_u32(t, bits);
}

static void put_view(writer* w, size_t begin, int target) {
  jtext_printf(&w->views, ",{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu", begin,
               w->bin.length - begin);
  if (target) jtext_printf(&w->views, ",\"target\":%d", target);
  jtext_put(&w->views, "}");
}

static void put_range(jtext* t, const float* x, int n, int width) {
  float low[4], high[4];
  for (int k = 0; k < width; k++) {
    low[k] = high[k] = x[k];
    for (int i = 1; i < n; i++) {
      low[k] = fminf(low[k], x[i * width + k]);
      high[k] = fmaxf(high[k], x[i * width + k]);
    }
  }
  put_vector(t, "min", low, width);
  put_vector(t, "max", high, width);
}

// n items of `width` floats; the number of their accessor.
static int put_floats(writer* w, const float* x, int n, int width, int target, bool has_range) {
  static const char* const type[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
  size_t begin = w->bin.length;
  for (int i = 0; i < n * width; i++) {
    put_float(&w->bin, x[i]);
  }
  put_view(w, begin, target);
  jtext_printf(&w->accessors,
               ",{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"%s\"", w->nview++,
               FLOAT, n, type[width]);
  if (has_range) put_range(&w->accessors, x, n, width);
  jtext_put(&w->accessors, "}");
  return w->naccessor++;
}

static int put_indices(writer* w, const uint32_t* x, int n) {
  size_t begin = w->bin.length;
  for (int i = 0; i < n; i++) {
    put_u32(&w->bin, x[i]);
  }
  put_view(w, begin, INDICES);
  jtext_printf(&w->accessors,
               ",{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"SCALAR\"}",
               w->nview++, UNSIGNED_INT, n);
  return w->naccessor++;
}

// ---- materials and meshes ------------------------------------------------------------------------

static const struct {
  const char* name;
  uint32_t rgb;
} colours[PALETTE + NPALETTE] = {[INK] = {"chassis", 0x1f2933},
                                 [SPRING] = {"spring", 0xc2410c},
                                 [ROD] = {"rod", 0x52606d},
                                 [TYRE] = {"tyre", 0x323f4b},
                                 [SPOKE] = {"spoke", 0x7b8794},
                                 [MARK] = {"mark", 0xc2410c},
                                 [LIGHT] = {"road 1", 0xe3e8ed},
                                 [DARK] = {"road 2", 0xcbd2d9},
                                 [EDGE] = {"road 3", 0xb9c3cd},
                                 [GROUND] = {"ground", 0x9aa5b1},
                                 {"body 1", 0x1d4ed8},
                                 {"body 2", 0x0f766e},
                                 {"body 3", 0x7e22ce},
                                 {"body 4", 0x15803d},
                                 {"body 5", 0xbe185d},
                                 {"body 6", 0x0369a1},
                                 {"body 7", 0x4d7c0f}};

// Colours of a screen as amounts of light.
static double linear(uint32_t byte) {
  double c = byte / 255.0;
  return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

// The material of a colour, written when it is first asked for.
static int material(writer* w, int colour) {
  if (w->material[colour] > 0) return w->material[colour] - 1;
  uint32_t c = colours[colour].rgb;
  jtext_printf(&w->materials,
               ",{\"name\":\"%s\",\"doubleSided\":true,\"pbrMetallicRoughness\":"
               "{\"baseColorFactor\":[%.4f,%.4f,%.4f,1],\"metallicFactor\":0,"
               "\"roughnessFactor\":0.8}}",
               colours[colour].name, linear(c >> 16), linear(c >> 8 & 255), linear(c & 255));
  w->material[colour] = ++w->nmaterial;
  return w->nmaterial - 1;
}

static void open_mesh(writer* w, const char* name) {
  jtext_put(&w->meshes, ",\n{\"name\":");
  put_text(&w->meshes, name);
  jtext_put(&w->meshes, ",\"primitives\":[");
  w->nprimitive = 0;
}

static void put_primitive(writer* w, int position, int normal, int index, int colour) {
  jtext_printf(&w->meshes,
               "%s{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d},\"indices\":%d,\"material\":%d}",
               w->nprimitive++ ? "," : "", position, normal, index, material(w, colour));
}

// What the solid has become; it is empty then.
static void put_solid(writer* w, int colour) {
  jreport_solid* s = &w->solid;
  if (s->nindex > 0 && !s->failed) {
    int position = put_floats(w, s->vertex[0], s->nvertex, 3, VERTICES, true);
    int normal = put_floats(w, s->normal[0], s->nvertex, 3, VERTICES, false);
    put_primitive(w, position, normal, put_indices(w, s->index, s->nindex), colour);
  }
  jreport_solid_clear(s);
}

static int close_mesh(writer* w) {
  jtext_put(&w->meshes, "]}");
  return w->nmesh++;
}

// ---- motion --------------------------------------------------------------------------------------

static double dot4(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static void cross(const double* a, const double* b, double* out) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = a[j] * b[k] - a[k] * b[j];
  }
}

// The rotation whose columns are x, y and their product, as x y z w: from the largest of the four, so that
// nothing small is divided by.
static void rotation(const double* x, const double* y, double q[4]) {
  double z[3], trace[4];
  cross(x, y, z);
  trace[0] = 1.0 + x[0] - y[1] - z[2];
  trace[1] = 1.0 - x[0] + y[1] - z[2];
  trace[2] = 1.0 - x[0] - y[1] + z[2];
  trace[3] = 1.0 + x[0] + y[1] + z[2];
  int big = 0;
  for (int i = 1; i < 4; i++) {
    if (trace[i] > trace[big]) big = i;
  }
  double a = y[0] + x[1], b = z[0] + x[2], c = z[1] + y[2];  // 4 xy, 4 xz, 4 yz
  double d = y[2] - z[1], e = z[0] - x[2], f = x[1] - y[0];  // 4 wx, 4 wy, 4 wz
  const double all[4][4] = {
      {trace[0], a, b, d}, {a, trace[1], c, e}, {b, c, trace[2], f}, {d, e, f, trace[3]}};
  memcpy(q, all[big], sizeof all[big]);
  double size = sqrt(dot4(q, q));
  for (int i = 0; i < 4; i++) {
    q[i] = size > 0.0 ? q[i] / size : i == 3;
  }
}

// Of q and -q, which are the same, the one nearer to the frame before.
static void keep_sign(writer* w, int frame) {
  if (frame == 0 || dot4(w->q[frame], w->q[frame - 1]) >= 0.0) return;
  for (int i = 0; i < 4; i++) {
    w->q[frame][i] = -w->q[frame][i];
  }
}

// A channel of a node, from `track`; none where nothing changes.
static void put_channel(writer* w, int node, const char* path, int width) {
  int n = w->r->nframe;
  bool moves = false;
  for (int i = width; i < n * width && !moves; i++) {
    moves = w->track[i] != w->track[i % width];
  }
  if (!moves || w->time < 0) return;
  int output = put_floats(w, w->track, n, width, 0, false);
  jtext_printf(&w->samplers, ",{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}", w->time,
               output);
  jtext_printf(&w->channels, ",{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}",
               w->nsampler++, node, path);
}

static void put_rotation(writer* w, int node) {
  for (int f = 0; f < w->r->nframe; f++) {
    for (int i = 0; i < 4; i++) {
      w->track[4 * f + i] = (float)w->q[f][i];
    }
  }
  put_vector(&w->nodes, "rotation", w->track, 4);
  put_channel(w, node, "rotation", 4);
}

static void put_place(writer* w, int node) {
  for (int f = 0; f < w->r->nframe; f++) {
    for (int i = 0; i < 3; i++) {
      w->track[3 * f + i] = (float)finite_or_zero(w->place[f][i]);
    }
  }
  put_vector(&w->nodes, "translation", w->track, 3);
  put_channel(w, node, "translation", 3);
}

// A node with places and rotations as they stand in the writer; `scale` (may be NULL) is its length.
static void put_node(writer* w, const char* name, int mesh, const double* length) {
  int node = w->nnode++;
  jtext_put(&w->nodes, ",\n{\"name\":");
  put_text(&w->nodes, name);
  if (mesh >= 0) jtext_printf(&w->nodes, ",\"mesh\":%d", mesh);
  put_place(w, node);
  put_rotation(w, node);
  if (length) {
    for (int f = 0; f < w->r->nframe; f++) {
      w->track[3 * f] = w->track[3 * f + 1] = 1.0f;
      w->track[3 * f + 2] = (float)fmax(finite_or_zero(length[f]), NO_LESS);
    }
    put_vector(&w->nodes, "scale", w->track, 3);
    put_channel(w, node, "scale", 3);
  }
  jtext_put(&w->nodes, "}");
}

// ---- bodies and wheels ---------------------------------------------------------------------------

static const double* pose_at(const jscene_replay* r, int frame, int body) {
  return r->pose + 9 * ((size_t)frame * (size_t)r->nbody + (size_t)body);
}

static const double* point_at(const jscene_replay* r, int frame, int point) {
  return r->xyz + 3 * ((size_t)frame * (size_t)r->npoint + (size_t)point);
}

// A point in the frame of its body.
static void bring_home(const double* pose, const double* point, double out[3]) {
  double r[3], z[3];
  cross(pose + 3, pose + 6, z);
  for (int i = 0; i < 3; i++) {
    r[i] = finite_or_zero(point[i] - pose[i]);
  }
  for (int i = 0; i < 3; i++) {
    const double* axis = i == 0 ? pose + 3 : i == 1 ? pose + 6 : z;
    out[i] = axis[0] * r[0] + axis[1] * r[1] + axis[2] * r[2];
  }
}

static int colour_of(const jscene_replay* r, int body) {
  return body == 0 ? GROUND : body == r->follow ? INK : PALETTE + body % NPALETTE;
}

static int body_mesh(writer* w, int body) {
  const jscene_replay_body* b = &w->r->body[body];
  const double* pose = pose_at(w->r, 0, body);
  for (int i = 0; i < b->nedge; i++) {
    double from[3], to[3];
    bring_home(pose, point_at(w->r, 0, b->edge[2 * i]), from);
    bring_home(pose, point_at(w->r, 0, b->edge[2 * i + 1]), to);
    jreport_solid_stick(&w->solid, from, to, w->stick);
  }
  for (int i = 0; i < b->npoint; i++) {
    double at[3];
    bring_home(pose, point_at(w->r, 0, b->point[i]), at);
    jreport_solid_ball(&w->solid, at, 1.8 * w->stick);
  }
  if (w->solid.nindex == 0) return -1;
  open_mesh(w, b->name);
  put_solid(w, colour_of(w->r, body));
  return close_mesh(w);
}

static void put_bodies(writer* w) {
  for (int i = 0; i < w->r->nbody; i++) {
    int mesh = body_mesh(w, i);
    if (i == 0 && mesh < 0) continue;  // the ground has no points
    for (int f = 0; f < w->r->nframe; f++) {
      const double* pose = pose_at(w->r, f, i);
      memcpy(w->place[f], pose, sizeof w->place[f]);
      rotation(pose + 3, pose + 6, w->q[f]);
      keep_sign(w, f);
    }
    put_node(w, w->r->body[i].name, mesh, NULL);
  }
}

// Around its y axis; one of its five spokes is marked, so that it is seen to turn.
static int wheel_mesh(writer* w, const jscene_replay_wheel* wheel) {
  double r = fmax(fabs(finite_or_zero(wheel->radius)), THINNEST), rim = 0.62 * r;
  static const double hub[3] = {0.0, 0.0, 0.0};
  open_mesh(w, wheel->name);
  jreport_solid_tyre(&w->solid, rim, r, 0.22 * r);
  put_solid(w, TYRE);
  for (int i = 0; i < 5; i++) {
    double a = 6.283185307179586 * i / 5, end[3] = {rim * cos(a), 0.0, -rim * sin(a)};
    jreport_solid_stick(&w->solid, hub, end, 0.04 * r);
    if (i == 0) put_solid(w, MARK);
  }
  put_solid(w, SPOKE);
  return close_mesh(w);
}

static void put_wheels(writer* w) {
  const jscene_replay* r = w->r;
  for (int i = 0; i < r->nwheel; i++) {
    int mesh = wheel_mesh(w, &r->wheel[i]);
    for (int f = 0; f < r->nframe; f++) {
      const double* spin = r->spin + 9 * ((size_t)f * (size_t)r->nwheel + (size_t)i);
      memcpy(w->place[f], spin, sizeof w->place[f]);
      rotation(spin + 6, spin + 3, w->q[f]);
      keep_sign(w, f);
    }
    put_node(w, r->wheel[i].name, mesh, NULL);
  }
}

// ---- springs and rods ----------------------------------------------------------------------------

// The shortest rotation from one direction to another, of a frame turned already: q = arc(a, b) q0.
static void turn_on(const double* a, const double* b, const double* q0, double q[4]) {
  double axis[3], w = 1.0 + a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  cross(a, b, axis);
  if (w < 1e-12) {  // half a turn, about anything across
    axis[0] = fabs(a[0]) < 0.7 ? 0.0 : -a[1];
    axis[1] = fabs(a[0]) < 0.7 ? a[2] : a[0];
    axis[2] = fabs(a[0]) < 0.7 ? -a[1] : 0.0;
    w = 0.0;
  }
  double p[4] = {axis[0], axis[1], axis[2], w};
  q[0] = p[3] * q0[0] + p[0] * q0[3] + p[1] * q0[2] - p[2] * q0[1];
  q[1] = p[3] * q0[1] - p[0] * q0[2] + p[1] * q0[3] + p[2] * q0[0];
  q[2] = p[3] * q0[2] + p[0] * q0[1] - p[1] * q0[0] + p[2] * q0[3];
  q[3] = p[3] * q0[3] - p[0] * q0[0] - p[1] * q0[1] - p[2] * q0[2];
  double size = sqrt(dot4(q, q));
  for (int i = 0; i < 4; i++) {
    q[i] /= size;
  }
}

// From its first end along z to its second, whose distance is its scale.
static void put_line(writer* w, const jscene_replay_line* line, int mesh, double* length) {
  const jscene_replay* r = w->r;
  double before[3] = {0.0, 0.0, 1.0}, q[4] = {0.0, 0.0, 0.0, 1.0};
  for (int f = 0; f < r->nframe; f++) {
    const double *a = point_at(r, f, line->a), *b = point_at(r, f, line->b);
    double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    memcpy(w->place[f], a, sizeof w->place[f]);
    length[f] = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (length[f] > NO_LESS && isfinite(length[f])) {
      for (int i = 0; i < 3; i++) {
        d[i] /= length[f];
      }
      double q0[4];
      memcpy(q0, q, sizeof q);
      turn_on(before, d, q0, q);
      memcpy(before, d, sizeof d);
    }
    memcpy(w->q[f], q, sizeof q);
    keep_sign(w, f);
  }
  put_node(w, line->name, mesh, length);
}

static jo_status put_lines(writer* w, jarena* a) {
  const jscene_replay* r = w->r;
  static const double from[3] = {0.0, 0.0, 0.0}, to[3] = {0.0, 0.0, 1.0};
  double* length = JARENA_ARRAY(a, r->nframe, double);
  if (!length) return jerr_memory(w->ctx);
  int mesh[2] = {-1, -1};
  for (int i = 0; i < r->nline; i++) {
    bool is_spring = r->line[i].is_spring;
    if (mesh[is_spring] < 0) {
      open_mesh(w, is_spring ? "spring" : "rod");
      jreport_solid_stick(&w->solid, from, to, (is_spring ? 0.4 : 1.0) * w->stick);
      if (is_spring) jreport_solid_coil(&w->solid, 4.0 * w->stick, 0.8 * w->stick, 6);
      put_solid(w, is_spring ? SPRING : ROD);
      mesh[is_spring] = close_mesh(w);
    }
    put_line(w, &r->line[i], mesh[is_spring], length);
  }
  return JO_OK;
}

// ---- the road ------------------------------------------------------------------------------------

static int road_colour(const jscene_replay_road* g, int i, int j) {
  const double* z = g->z + i * g->ny + j;
  if (fabs(z[g->ny] - z[0]) > 0.4 * g->dx) return EDGE;
  int odd = (int)floor(g->x0 + i * g->dx + 1e-6) + (int)floor(j * g->dy / 0.75);
  return odd & 1 ? LIGHT : DARK;
}

static void add_road_vertices(jreport_solid* s, const jscene_replay_road* g) {
  for (int k = 0; k < g->nx * g->ny; k++) {
    int i = k / g->ny, j = k % g->ny;
    int i0 = i > 0 ? i - 1 : i, i1 = i + 1 < g->nx ? i + 1 : i;
    int j0 = j > 0 ? j - 1 : j, j1 = j + 1 < g->ny ? j + 1 : j;
    double slope[2] = {
        (g->z[i1 * g->ny + j] - g->z[i0 * g->ny + j]) / fmax((i1 - i0) * g->dx, 1e-9),
        (g->z[i * g->ny + j1] - g->z[i * g->ny + j0]) / fmax((j1 - j0) * g->dy, 1e-9)};
    double size = sqrt(1.0 + slope[0] * slope[0] + slope[1] * slope[1]);
    double normal[3] = {-slope[0] / size, -slope[1] / size, 1.0 / size};
    double at[3] = {g->x0 + i * g->dx, g->y0 + j * g->dy, finite_or_zero(g->z[k])};
    jreport_solid_vertex(s, at, normal);
  }
}

// Squares by metres in two colours, so that motion shows, and edges in a third.
static void put_road(writer* w) {
  const jscene_replay_road* g = &w->r->road;
  jreport_solid* s = &w->solid;
  if (g->nx < 2 || g->ny < 2) return;
  add_road_vertices(s, g);
  if (s->failed) return;
  int position = put_floats(w, s->vertex[0], s->nvertex, 3, VERTICES, true);
  int normal = put_floats(w, s->normal[0], s->nvertex, 3, VERTICES, false);
  open_mesh(w, "road");
  for (int colour = LIGHT; colour <= EDGE; colour++) {
    s->nindex = 0;
    for (int k = 0; k < (g->nx - 1) * (g->ny - 1); k++) {
      int i = k / (g->ny - 1), j = k % (g->ny - 1), at = i * g->ny + j;
      if (road_colour(g, i, j) != colour) continue;
      jreport_solid_triangle(s, at, at + g->ny, at + g->ny + 1);
      jreport_solid_triangle(s, at, at + g->ny + 1, at + 1);
    }
    if (s->nindex > 0 && !s->failed) {
      put_primitive(w, position, normal, put_indices(w, s->index, s->nindex), colour);
    }
  }
  jreport_solid_clear(s);
  jtext_printf(&w->nodes, ",\n{\"name\":\"road\",\"mesh\":%d}", close_mesh(w));
  w->nnode++;
}

// ---- the file ------------------------------------------------------------------------------------

// Sticks are as thick as the whole is large: what is there in the first frame.
static double choose_stick(const jscene_replay* r) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  double square = 0.0;
  for (int i = 0; i < r->npoint; i++) {
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], point_at(r, 0, i)[k]);
      high[k] = fmax(high[k], point_at(r, 0, i)[k]);
    }
  }
  for (int k = 0; k < 3 && r->npoint > 0; k++) {
    square += (high[k] - low[k]) * (high[k] - low[k]);
  }
  return fmax(STICK * finite_or_zero(sqrt(square)), THINNEST);
}

static void put_times(writer* w) {
  const jscene_replay* r = w->r;
  for (int f = 0; f < r->nframe; f++) {
    w->track[f] = (float)(f * r->dt);
  }
  w->time = r->nframe > 1 ? put_floats(w, w->track, r->nframe, 1, 0, true) : -1;
}

// The root is the last node, and turns z up into y up.
static void put_json(writer* w, jtext* t) {
  const jreport_scene* s = w->scene;
  jtext_printf(t, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"jounce %s\"},\n", jo_version());
  jtext_put(t, "\"scene\":0,\"scenes\":[{\"name\":");
  put_text(t, s->name);
  jtext_printf(t, ",\"nodes\":[%d],\"extras\":{\"sha256\":", w->nnode);
  put_text(t, s->sha256);
  jtext_put(t, ",\"settings\":");
  put_text(t, s->settings);
  jtext_printf(t, ",\"t_start\":%.17g}}]", finite_or_zero(w->r->t_start));
  jtext_put(&w->nodes, ",\n{\"name\":");
  put_text(&w->nodes, s->name);
  jtext_put(&w->nodes,
            ",\"rotation\":[-0.70710678118654757,0,0,0.70710678118654757],\"children\":[");
  for (int i = 0; i < w->nnode; i++) {
    jtext_printf(&w->nodes, "%s%d", i ? "," : "", i);
  }
  jtext_put(&w->nodes, "]}");
  put_list(t, "nodes", &w->nodes);
  put_list(t, "meshes", &w->meshes);
  put_list(t, "materials", &w->materials);
  if (w->nsampler > 0) {
    jtext_printf(t, ",\n\"animations\":[{\"name\":\"motion\",\"channels\":[%s],\"samplers\":[%s]}]",
                 w->channels.data ? w->channels.data + 1 : "",
                 w->samplers.data ? w->samplers.data + 1 : "");
  }
  put_list(t, "accessors", &w->accessors);
  put_list(t, "bufferViews", &w->views);
  if (w->bin.length > 0) jtext_printf(t, ",\n\"buffers\":[{\"byteLength\":%zu}]", w->bin.length);
  jtext_put(t, "}");
}

static jo_status save(writer* w, const char* path, int64_t* bytes) {
  jtext json, file;
  jtext_init(&json, w->ctx);
  jtext_init(&file, w->ctx);
  put_json(w, &json);
  while (json.length % 4 && !json.failed) {
    jtext_put(&json, " ");
  }
  size_t chunk = w->bin.length > 0 ? 8 + w->bin.length : 0;
  put_u32(&file, 0x46546c67);  // "glTF"
  put_u32(&file, 2);
  put_u32(&file, (uint32_t)(20 + json.length + chunk));
  put_u32(&file, (uint32_t)json.length);
  put_u32(&file, 0x4e4f534a);  // "JSON"
  jtext_write(&file, json.data, json.failed ? 0 : json.length);
  if (chunk) {
    put_u32(&file, (uint32_t)w->bin.length);
    put_u32(&file, 0x004e4942);  // "BIN"
    jtext_write(&file, w->bin.data, w->bin.length);
  }
  jo_status status = JO_OK;
  if (json.failed || file.failed) {
    status = jerr_memory(w->ctx);
  } else {
    status = jfile_write(w->ctx, path, file.data, file.length);
  }
  if (status >= 0 && bytes) *bytes = (int64_t)file.length;
  jtext_free(&json);
  jtext_free(&file);
  return status;
}

static jo_status build(writer* w, jarena* a, const char* path, int64_t* bytes) {
  const jscene_replay* r = w->r;
  w->track = JARENA_ARRAY(a, 4 * r->nframe, float);
  w->q = jarena_array(a, (size_t)r->nframe, sizeof *w->q);
  w->place = jarena_array(a, (size_t)r->nframe, sizeof *w->place);
  if (!w->track || !w->q || !w->place) return jerr_memory(w->ctx);
  w->stick = choose_stick(r);
  put_times(w);
  put_bodies(w);
  put_wheels(w);
  JO_TRY(put_lines(w, a));
  put_road(w);
  bool failed = w->solid.failed || w->bin.failed || w->views.failed || w->accessors.failed ||
                w->materials.failed || w->meshes.failed || w->nodes.failed || w->samplers.failed ||
                w->channels.failed;
  return failed ? jerr_memory(w->ctx) : save(w, path, bytes);
}

jo_status jreport_glb(jo_context* ctx, const jreport_scene* scene, const char* path,
                      int64_t* bytes) {
  if (scene->replay->nframe == 0) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: there is no motion to show", path);
  }
  writer w = {.ctx = ctx, .scene = scene, .r = scene->replay, .time = -1};
  jtext* part[] = {&w.views, &w.accessors, &w.materials, &w.meshes,
                   &w.nodes, &w.samplers,  &w.channels,  &w.bin};
  enum { NPART = sizeof part / sizeof *part };
  for (int i = 0; i < NPART; i++) {
    jtext_init(part[i], ctx);
  }
  jreport_solid_init(&w.solid, ctx);
  jarena a;
  jarena_init(&a, ctx);
  jo_status status = build(&w, &a, path, bytes);
  jarena_free(&a);
  jreport_solid_free(&w.solid);
  for (int i = 0; i < NPART; i++) {
    jtext_free(part[i]);
  }
  return status;
}
