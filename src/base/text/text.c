// SPDX-License-Identifier: Apache-2.0
// A growing text, and numbers that are written and read the same way in every locale.
//
// The C library's conversions are exact but use the locale's decimal point. Writing: base/text/format.h.
// Reading: the point is moved into the exponent before strtod sees the number.
#include "base/text/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/text/format.h"

void jtext_init(jtext* t, jo_context* ctx) {
  *t = (jtext){.ctx = ctx};
}

void jtext_free(jtext* t) {
  jmem_free(t->ctx, t->data);
  jtext_init(t, t->ctx);
}

void jtext_clear(jtext* t) {
  t->length = 0;
  t->failed = false;
  if (t->data) t->data[0] = '\0';
}

// Room for n more characters and the terminating zero.
static bool reserve(jtext* t, size_t n) {
  if (t->failed) return false;
  if (t->data && n < t->cap - t->length) return true;
  size_t cap = t->cap < 128 ? 128 : 2 * t->cap;
  if (n >= SIZE_MAX / 4) {
    t->failed = true;
    return false;
  }
  if (cap - t->length <= n) cap = t->length + n + 1;
  char* data = jmem_resize(t->ctx, t->data, cap);
  if (!data) {
    t->failed = true;
    return false;
  }
  t->data = data;
  t->cap = cap;
  return true;
}

void jtext_put(jtext* t, const char* s) {
  jtext_write(t, s, strlen(s));
}

void jtext_write(jtext* t, const char* s, size_t n) {
  if (!reserve(t, n)) return;
  if (n) memcpy(t->data + t->length, s, n);
  t->length += n;
  JASSERT(t->length < t->cap);
  t->data[t->length] = '\0';
}

void jtext_printf(jtext* t, const char* format, ...) {
  va_list args, second;
  va_start(args, format);
  va_copy(second, args);
  // most pieces are short: one pass when there is room, a second one otherwise
  if (reserve(t, 64)) {
    int length = jformat_v(t->data + t->length, t->cap - t->length, format, args);
    bool fits = length >= 0 && (size_t)length < t->cap - t->length;
    if (length < 0) {
      t->failed = true;
    } else if (!fits && reserve(t, (size_t)length)) {
      jformat_v(t->data + t->length, t->cap - t->length, format, second);
    }
    if (t->failed) {
      t->data[t->length] = '\0';
    } else {
      t->length += (size_t)length;
    }
  }
  va_end(second);
  va_end(args);
}

void jtext_number(jtext* t, double value) {
  char buffer[JTEXT_NUMBER_SIZE];
  jtext_format_number(buffer, value);
  jtext_put(t, buffer);
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// A number without point or exponent gets ".0", to be a floating literal.
static void make_floating(char* s) {
  if (!strpbrk(s, ".e")) strcat(s, ".0");
}

void jtext_format_number(char* buffer, double value) {
  if (isnan(value)) {
    strcpy(buffer, "(0.0/0.0)");
    return;
  }
  if (isinf(value)) {
    strcpy(buffer, value > 0 ? "(1.0/0.0)" : "(-1.0/0.0)");
    return;
  }
  // 17 digits always read back exactly, fewer often do and are nicer to read
  for (int digits = 15; digits <= 17; digits++) {
    jformat(buffer, JTEXT_NUMBER_SIZE, "%.*g", digits, value);
    make_floating(buffer);
    const char* magnitude = buffer + (buffer[0] == '-');
    double back = 0;
    jtext_scan_number(magnitude, strlen(magnitude), &back);
    if (back == fabs(value)) return;
  }
}

// Significant digits that can matter for correct rounding of a double are fewer than 770; of what
// follows only "is it all zero" counts.
#define DIGITS_MAX 800

typedef struct decimal {
  char text[DIGITS_MAX + 32];  // digits, then room for a sticky digit and the exponent
  int n;
  bool sticky;
  int64_t exponent;  // value = digits * 10^exponent
} decimal;

static void add_digit(decimal* d, char c, bool is_fraction) {
  if (is_fraction) d->exponent--;
  if (d->n == 0 && c == '0') return;
  if (d->n < DIGITS_MAX) {
    d->text[d->n++] = c;
  } else {
    d->sticky |= c != '0';
    d->exponent++;
  }
}

// [e[+-]digits] at s: characters used, 0 when there is none.
static size_t scan_exponent(const char* s, size_t n, int64_t* exponent) {
  size_t i = 0;
  if (i == n || (s[i] != 'e' && s[i] != 'E')) return 0;
  i++;
  bool negative = i < n && s[i] == '-';
  if (i < n && (s[i] == '-' || s[i] == '+')) i++;
  if (i == n || !is_digit(s[i])) return 0;
  int64_t e = 0;
  for (; i < n && is_digit(s[i]); i++) {
    if (e < INT64_MAX / 32) e = 10 * e + (s[i] - '0');
  }
  *exponent = negative ? -e : e;
  return i;
}

size_t jtext_scan_number(const char* s, size_t n, double* value) {
  return jtext_scan_scaled(s, n, 0, value);
}

size_t jtext_scan_scaled(const char* s, size_t n, int power, double* value) {
  decimal d = {.n = 0};
  size_t i = 0;
  for (; i < n && is_digit(s[i]); i++) {
    add_digit(&d, s[i], false);
  }
  // a point with digits before or behind it
  bool has_point = i < n && s[i] == '.' && (i > 0 || (n > 1 && is_digit(s[1])));
  if (i == 0 && !has_point) return 0;
  if (has_point) {
    for (i++; i < n && is_digit(s[i]); i++) {
      add_digit(&d, s[i], true);
    }
  }
  int64_t e = 0;
  i += scan_exponent(s + i, n - i, &e);
  if (d.n == 0) {
    *value = 0;
    return i;
  }
  e += d.exponent + power;
  if (d.sticky) {
    d.text[d.n++] = '1';
    e--;
  }
  // far beyond the range of double the exact exponent is of no interest
  int exponent = e > 9999 ? 9999 : e < -9999 ? -9999 : (int)e;
  jformat(d.text + d.n, sizeof d.text - (size_t)d.n, "e%d", exponent);
  *value = strtod(d.text, NULL);
  return i;
}

// Bytes of the UTF-8 character at s; 0 when there is none.
static size_t utf8_length(const char* s, size_t n) {
  unsigned char lead = (unsigned char)s[0];
  if (lead < 0x80) return 1;
  size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || length > n) return 0;
  for (size_t i = 1; i < length; i++) {
    if (((unsigned char)s[i] & 0xc0) != 0x80) return 0;
  }
  // overlong forms, surrogates, behind U+10FFFF
  unsigned char next = (unsigned char)s[1];
  if ((lead == 0xe0 && next < 0xa0) || (lead == 0xed && next > 0x9f)) return 0;
  if ((lead == 0xf0 && next < 0x90) || (lead == 0xf4 && next > 0x8f)) return 0;
  return length;
}

static uint32_t code_point(const char* s, size_t length) {
  uint32_t code = (unsigned char)s[0] & (length == 1 ? 0x7fu : 0xffu >> (length + 1));
  for (size_t i = 1; i < length; i++) {
    code = code << 6 | ((unsigned char)s[i] & 0x3fu);
  }
  return code;
}

// ASCII, C1; line and paragraph ends, embeddings and overrides; isolates
static bool is_control(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

size_t jtext_character(const char* s, size_t n, bool* shows) {
  size_t length = utf8_length(s, n);
  *shows = length > 0 && !is_control(code_point(s, length));
  return length;
}

const char* jtext_flaw(const char* s, size_t n, size_t* at) {
  size_t length;
  for (size_t i = 0; i < n; i += length) {
    bool shows;
    length = jtext_character(s + i, n - i, &shows);
    if (shows || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') continue;
    *at = i;
    return length == 0 ? "not UTF-8 text" : "a control character; is this a text file?";
  }
  return NULL;
}

static int lower(char c) {
  return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

#define DISTANCE_MAX 64

int jtext_distance(const char* a, size_t na, const char* b, size_t nb) {
  // names longer than this are compared by their beginnings
  size_t longer = na > nb ? na : nb, shorter = na > nb ? nb : na;
  size_t beyond =
      longer > DISTANCE_MAX ? longer - (shorter > DISTANCE_MAX ? shorter : DISTANCE_MAX) : 0;
  if (na > DISTANCE_MAX) na = DISTANCE_MAX;
  if (nb > DISTANCE_MAX) nb = DISTANCE_MAX;

  // row[j]: distance of the first i characters of a to the first j of b
  int row[DISTANCE_MAX + 1];
  for (size_t j = 0; j <= nb; j++) {
    row[j] = (int)j;
  }
  for (size_t i = 1; i <= na; i++) {
    int diagonal = row[0];
    row[0] = (int)i;
    for (size_t j = 1; j <= nb; j++) {
      int best = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[nb] + (int)(beyond < 1000 ? beyond : 1000);
}

bool jtext_ends_in(const char* text, const char* end) {
  size_t n = strlen(text), k = strlen(end);
  return n > k && strcmp(text + n - k, end) == 0;
}
