// SPDX-License-Identifier: Apache-2.0
// RPC III files (MTS Remote Parameter Control), which durability tools read: records of 512 bytes, first a
// header of keywords (32 bytes) and values (96 bytes), then frame by frame the samples of every channel as
// 16-bit integers, little-endian, each channel with a scale of its own. The time is a constant step, so
// histories that are not sampled evenly are put on an even grid.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/system/file.h"
#include "base/text/format.h"
#include "report/format/table.h"

#define FRAME        2048     // points of a frame; groups have one frame
#define MAX_CHANNELS 128      // of the format, as are 1024 parameters
#define PER_FILE     24       // parameters that are not of a channel
#define PER_CHANNEL  5        // and those that are
#define LARGEST      32752    // integer: what is usual
#define FULL_SCALE   "32768"  // some readers divide by it, in units of 32768
#define MAX_POINTS   (1 << 26)
#define ON_GRID      1e-3  // distance from a point of the grid, in steps, that is none
#define FINER        4.0   // points of the grid per row, where rows lie on none

typedef struct writer {
  jo_context* ctx;
  const jreport_table* table;
  const char* path;
  int nchannel, npoint;  // points before the last frame is filled
  int nrow;              // rows that count: all, or all but the last
  double dt, intervals;  // step [s], and how many
  bool is_even;          // these rows are points of the grid
  jtext out;
  int nparameter;
  double* sample;  // of a channel (npoint)
  int nbad;        // values that are not finite ...
  const char* bad;
  double lost;  // of a peak by the grid, relative ...
  const char* lost_of;
} writer;

static double time_at(const writer* w, int row) {
  return w->table->row[(size_t)row * (size_t)w->table->ncolumn];
}

static double value_at(const writer* w, int row, int channel) {
  return w->table->row[(size_t)row * (size_t)w->table->ncolumn + 1 + (size_t)channel];
}

// ---- the grid ------------------------------------------------------------------------------------

static bool are_on_grid(const writer* w) {
  for (int i = 0; i < w->nrow; i++) {
    double at = (time_at(w, i) - time_at(w, 0)) / w->dt;
    if (fabs(at - floor(at + 0.5)) > ON_GRID) return false;
  }
  return true;
}

// The smallest step of the first `nrow` rows, if they lie on its grid.
static bool try_grid(writer* w, int nrow) {
  double span = nrow > 1 ? time_at(w, nrow - 1) - time_at(w, 0) : 0.0, least = INFINITY;
  for (int i = 1; i < nrow; i++) {
    double d = time_at(w, i) - time_at(w, i - 1);
    if (d > 0.0) least = fmin(least, d);
  }
  w->nrow = nrow;
  w->intervals = floor(span / least + 0.5);
  w->dt = span / w->intervals;
  return w->intervals >= 1.0 && w->intervals < MAX_POINTS && are_on_grid(w);
}

// The last step of a run may be a shorter one: without it, then. Rows that lie on no grid at all get one
// four times as fine as they are.
static jo_status choose_grid(writer* w) {
  int n = w->table->nrow;
  double span = n > 1 ? time_at(w, n - 1) - time_at(w, 0) : 0.0;
  if (!(span > 0.0) || !isfinite(span)) {
    return jerr_set(w->ctx, JO_ERR_ARGUMENT, "%s: a history of one time has no step; choose .csv",
                    w->path);
  }
  w->is_even = try_grid(w, n) || try_grid(w, n - 1);
  if (!w->is_even) {
    w->nrow = n;
    w->intervals = FINER * (n - 1);
    w->dt = span / w->intervals;
  }
  double points = w->intervals + 1.0;
  if (points > MAX_POINTS || 2.0 * (points + FRAME) * w->nchannel > 2147483647.0) {
    return jerr_set(w->ctx, JO_ERR_LIMIT,
                    "%s: %.0f points of %d channels are too many for an RPC file; choose .h5",
                    w->path, points, w->nchannel);
  }
  w->npoint = (int)points;
  return JO_OK;
}

// A channel on the grid, linear between rows; of rows at the same time the last counts. What is not
// finite becomes 0.
static double sample_channel(writer* w, int channel) {
  int row = 0, last = w->nrow - 1;
  double peak = 0.0, largest = 0.0;
  for (int i = 0; i < w->npoint; i++) {
    double t = time_at(w, 0) + i * w->dt;
    while (row < last && time_at(w, row + 1) <= t + ON_GRID * w->dt) {
      row++;
    }
    double v = value_at(w, row, channel), from = time_at(w, row);
    if (row < last && t - from > ON_GRID * w->dt) {
      v += (t - from) / (time_at(w, row + 1) - from) * (value_at(w, row + 1, channel) - v);
    }
    if (!isfinite(v)) {
      if (w->nbad++ == 0) w->bad = w->table->column[1 + channel].name;
      v = 0.0;
    }
    w->sample[i] = v;
    peak = fmax(peak, fabs(v));
  }
  for (int i = 0; i <= last; i++) {
    double v = fabs(value_at(w, i, channel));
    if (isfinite(v)) largest = fmax(largest, v);
  }
  if (largest > 0.0 && 1.0 - peak / largest > w->lost) {
    w->lost = 1.0 - peak / largest;
    w->lost_of = w->table->column[1 + channel].name;
  }
  return peak;
}

// ---- the header ----------------------------------------------------------------------------------

// Values are plain ASCII of at most 95 bytes: other characters become '?', those that do not show blanks.
static void put_parameter(writer* w, const char* keyword, const char* value) {
  char field[128] = {0};
  memcpy(field, keyword, strlen(keyword));
  size_t n = 32;
  for (; *value && n < 127; value++) {
    unsigned char c = (unsigned char)*value;
    if ((c & 0xc0) == 0x80) continue;
    field[n++] = (char)(c < ' ' || c == 127 ? ' ' : c > 127 ? '?' : c);
  }
  jtext_write(&w->out, field, sizeof field);
  w->nparameter++;
}

static void put_count(writer* w, const char* keyword, int value) {
  char text[16];
  jformat(text, sizeof text, "%d", value);
  put_parameter(w, keyword, text);
}

static void put_real(writer* w, const char* keyword, double value) {
  char text[32];
  jformat(text, sizeof text, "%.9E", value);  // Fortran reads it too
  put_parameter(w, keyword, text);
}

static const char* note_named(const jreport_table* t, const char* name) {
  for (int i = 0; i < t->nnote; i++) {
    if (t->note[i].kind == JREPORT_TEXT && strcmp(t->note[i].name, name) == 0) {
      return t->note[i].text;
    }
  }
  return "";
}

static int frames(const writer* w) {
  return (w->npoint + FRAME - 1) / FRAME;
}

static void put_file_parameters(writer* w, int nblock, int nparameter) {
  put_parameter(w, "FORMAT", "BINARY_IEEE_LITTLE_END");
  put_count(w, "NUM_HEADER_BLOCKS", nblock);
  put_count(w, "NUM_PARAMS", nparameter);
  put_parameter(w, "FILE_TYPE", "TIME_HISTORY");
  put_parameter(w, "DATA_TYPE", "SHORT_INTEGER");
  put_parameter(w, "TIME_TYPE", "RESPONSE");
  put_real(w, "DELTA_T", w->dt);
  put_count(w, "PTS_PER_FRAME", FRAME);
  put_count(w, "PTS_PER_GROUP", FRAME);
  put_count(w, "FRAMES", frames(w));
  put_count(w, "HALF_FRAMES", 0);
  put_count(w, "REPEATS", 1);
  put_count(w, "BYPASS_FILTER", 1);
  put_count(w, "CHANNELS", w->nchannel);
  put_parameter(w, "INT_FULL_SCALE", FULL_SCALE);
  put_count(w, "PARTITIONS", 1);
  put_count(w, "PART.CHAN_1", 1);
  put_count(w, "PART.NCHAN_1", w->nchannel);
  // tools want a date; the same run writes the same bytes
  put_parameter(w, "DATE", "01-Jan-1970 00:00:00");
  put_parameter(w, "OPERATION", "JOUNCE");
  put_parameter(w, "DESCRIPTION", note_named(w->table, "model"));
  put_parameter(w, "JOUNCE.SHA256", note_named(w->table, "sha256"));
  put_count(w, "SAMPLES", w->npoint);
  put_real(w, "JOUNCE.T_START", time_at(w, 0));
}

static void put_of_channel(writer* w, const char* what, int channel, const char* text,
                           double value) {
  char keyword[33];
  jformat(keyword, sizeof keyword, "%s.CHAN_%d", what, channel + 1);
  if (text) {
    put_parameter(w, keyword, text);
  } else {
    put_real(w, keyword, value);
  }
}

static void put_header(writer* w, const double* scale) {
  const jplant_quantity* q = w->table->column + 1;
  int nparameter = PER_FILE + PER_CHANNEL * w->nchannel;
  put_file_parameters(w, (nparameter + 3) / 4, nparameter);
  for (int i = 0; i < w->nchannel; i++) {
    put_of_channel(w, "DESC", i, q[i].name, 0.0);
    put_of_channel(w, "UNITS", i, *q[i].unit ? q[i].unit : "-", 0.0);
    put_of_channel(w, "SCALE", i, NULL, scale[i]);
    put_of_channel(w, "UPPER_LIMIT", i, NULL, LARGEST * scale[i]);
    put_of_channel(w, "LOWER_LIMIT", i, NULL, -LARGEST * scale[i]);
  }
  static const char empty[128];
  JASSERT(w->nparameter == nparameter);
  for (int i = nparameter; i % 4; i++) {
    jtext_write(&w->out, empty, sizeof empty);
  }
}

// ---- samples -------------------------------------------------------------------------------------

static int16_t quantize(double v, double scale) {
  return (int16_t)fmin(fmax(floor(v / scale + 0.5), -LARGEST), LARGEST);
}

// Frame by frame, channel by channel. The last frame is filled with the last sample, which adds no cycle.
static void fill_channel(const writer* w, int channel, double scale, char* data) {
  for (int i = 0; i < frames(w) * FRAME; i++) {
    int16_t v = quantize(w->sample[i < w->npoint ? i : w->npoint - 1], scale);
    size_t frame = (size_t)(i / FRAME) * (size_t)w->nchannel + (size_t)channel;
    char* at = data + 2 * (frame * FRAME + (size_t)(i % FRAME));
    at[0] = (char)((uint16_t)v & 255);
    at[1] = (char)((uint16_t)v >> 8);
  }
}

static void tell(const writer* w) {
  int all = w->table->ncolumn - 1;
  if (all > w->nchannel) {
    jerr_warn(w->ctx,
              "%s: an RPC file has %d channels at most: %d of the columns are left out, from "
              "'%.60s' on; .h5, .mat and .csv have all",
              w->path, MAX_CHANNELS, all - w->nchannel, w->table->column[1 + w->nchannel].name);
  }
  if (w->nrow < w->table->nrow) {
    jerr_warn(w->ctx,
              "%s: the last time, %.9g s, is no multiple of the step of %.9g s and left out",
              w->path, time_at(w, w->nrow), w->dt);
  }
  if (!w->is_even) {
    jerr_warn(w->ctx,
              "%s: the times are not evenly spaced: interpolated at %.6g s, which takes at "
              "most %.2g %% off a peak ('%.60s')",
              w->path, w->dt, 100.0 * w->lost, w->lost_of ? w->lost_of : "none");
  }
  if (w->nbad > 0) {
    jerr_warn(w->ctx, "%s: %d values that are not finite are written as 0, the first of '%.60s'",
              w->path, w->nbad, w->bad);
  }
}

static jo_status write_file(writer* w, jarena* a) {
  JO_TRY(choose_grid(w));
  size_t bytes = 2 * (size_t)frames(w) * FRAME * (size_t)w->nchannel;
  double* scale = JARENA_ARRAY(a, w->nchannel, double);
  char* data = jarena_alloc(a, bytes);
  w->sample = JARENA_ARRAY(a, w->npoint, double);
  if (!scale || !data || !w->sample) return jerr_memory(w->ctx);
  for (int i = 0; i < w->nchannel; i++) {
    double peak = sample_channel(w, i);
    scale[i] = peak / LARGEST;
    if (!(scale[i] > 0.0)) scale[i] = 1.0;
    fill_channel(w, i, scale[i], data);
  }
  put_header(w, scale);
  jtext_write(&w->out, data, bytes);
  if (w->out.failed) return jerr_memory(w->ctx);
  JO_TRY(jfile_write(w->ctx, w->path, w->out.data, w->out.length));
  tell(w);
  return JO_OK;
}

jo_status jreport_table_rpc(jo_context* ctx, const jreport_table* table, const char* path) {
  int n = table->ncolumn - 1;
  if (n < 1) return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: there is no history to write", path);
  writer w = {.ctx = ctx, .table = table, .path = path};
  w.nchannel = n < MAX_CHANNELS ? n : MAX_CHANNELS;
  jarena a;
  jarena_init(&a, ctx);
  jtext_init(&w.out, ctx);
  jo_status status = write_file(&w, &a);
  jtext_free(&w.out);
  jarena_free(&a);
  return status;
}
