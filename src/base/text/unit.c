// SPDX-License-Identifier: Apache-2.0
#include "base/text/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"

#define PI 3.14159265358979323846

// All units, one line each: name, the same in SI, decimal, num, den, irrational, dimensions, takes prefixes.
// Length and mass by the international yard and pound, force by standard gravity 9.80665 m/s^2 (ISO 80000).
typedef struct entry {
  const char *name, *si;
  int decimal;
  double num, den, irrational;
  int dimension[JUNIT_DIMENSIONS];
  bool has_prefixes;
} entry;

// clang-format off
static const entry units[] = {
    //                                               m  kg   s  A rad
    {"m",     "m",       0, 1, 1, 1,             {   1,  0,  0, 0, 0}, true},
    {"g",     "kg",     -3, 1, 1, 1,             {   0,  1,  0, 0, 0}, true},
    {"s",     "s",       0, 1, 1, 1,             {   0,  0,  1, 0, 0}, true},
    {"A",     "A",       0, 1, 1, 1,             {   0,  0,  0, 1, 0}, true},
    {"rad",   "rad",     0, 1, 1, 1,             {   0,  0,  0, 0, 1}, true},
    {"N",     "N",       0, 1, 1, 1,             {   1,  1, -2, 0, 0}, true},
    {"Pa",    "Pa",      0, 1, 1, 1,             {  -1,  1, -2, 0, 0}, true},
    {"J",     "J",       0, 1, 1, 1,             {   2,  1, -2, 0, 0}, true},
    {"W",     "W",       0, 1, 1, 1,             {   2,  1, -3, 0, 0}, true},
    {"V",     "V",       0, 1, 1, 1,             {   2,  1, -3, -1, 0}, true},
    {"Hz",    "Hz",      0, 1, 1, 1,             {   0,  0, -1, 0, 0}, true},
    {"bar",   "Pa",      5, 1, 1, 1,             {  -1,  1, -2, 0, 0}, true},
    {"l",     "m^3",    -3, 1, 1, 1,             {   3,  0,  0, 0, 0}, true},
    {"L",     "m^3",    -3, 1, 1, 1,             {   3,  0,  0, 0, 0}, true},
    {"t",     "kg",      3, 1, 1, 1,             {   0,  1,  0, 0, 0}, false},
    {"min",   "s",       0, 60, 1, 1,            {   0,  0,  1, 0, 0}, false},
    {"h",     "s",       0, 3600, 1, 1,          {   0,  0,  1, 0, 0}, false},
    {"deg",   "rad",     0, 1, 1, PI / 180.0,    {   0,  0,  0, 0, 1}, false},
    {"\xc2\xb0", "rad",  0, 1, 1, PI / 180.0,    {   0,  0,  0, 0, 1}, false},
    {"rev",   "rad",     0, 1, 1, 2.0 * PI,      {   0,  0,  0, 0, 1}, false},
    {"rpm",   "rad/s",   0, 1, 1, PI / 30.0,     {   0,  0, -1, 0, 1}, false},
    {"mph",   "m/s",    -5, 44704, 1, 1,         {   1,  0, -1, 0, 0}, false},
    {"kph",   "m/s",     1, 1, 36, 1,            {   1,  0, -1, 0, 0}, false},
    {"in",    "m",      -4, 254, 1, 1,           {   1,  0,  0, 0, 0}, false},
    {"ft",    "m",      -4, 3048, 1, 1,          {   1,  0,  0, 0, 0}, false},
    {"yd",    "m",      -4, 9144, 1, 1,          {   1,  0,  0, 0, 0}, false},
    {"mi",    "m",      -3, 1609344, 1, 1,       {   1,  0,  0, 0, 0}, false},
    {"lb",    "kg",     -8, 45359237, 1, 1,      {   0,  1,  0, 0, 0}, false},
    {"lbf",   "N",     -13, 44482216152605.0, 1, 1, { 1,  1, -2, 0, 0}, false},
    {"kgf",   "N",      -5, 980665, 1, 1,        {   1,  1, -2, 0, 0}, false},
    {"psi",   "Pa",     -5, 44482216152605.0, 64516, 1, {-1,  1, -2, 0, 0}, false},
    {"atm",   "Pa",      0, 101325, 1, 1,        {  -1,  1, -2, 0, 0}, false},
    {"PS",    "W",      -5, 73549875, 1, 1,      {   2,  1, -3, 0, 0}, false},
    {"hp",    "W",     -11, 74569987158227.0, 1, 1, { 2,  1, -3, 0, 0}, false},
    {"gn",    "m/s^2",  -5, 980665, 1, 1,        {   1,  0, -2, 0, 0}, false},
    {"%",     "1",      -2, 1, 1, 1,             {   0,  0,  0, 0, 0}, false},
    {"1",     "1",       0, 1, 1, 1,             {   0,  0,  0, 0, 0}, false},
    {"-",     "1",       0, 1, 1, 1,             {   0,  0,  0, 0, 0}, false},
};
#define NUNIT ((int)(sizeof units / sizeof *units))

static const struct {
  const char* text;
  int decimal;
} prefixes[] = {{"G", 9}, {"M", 6}, {"k", 3}, {"d", -1}, {"c", -2}, {"m", -3}, {"u", -6}, {"\xc2\xb5", -6}, {"n", -9}};
// clang-format on

const char* junit_name(int i) {
  return i >= 0 && i < NUNIT ? units[i].name : NULL;
}

static bool is(const char* s, size_t n, const char* text) {
  return strlen(text) == n && memcmp(s, text, n) == 0;
}

static const entry* find_entry(const char* s, size_t n, int* decimal) {
  *decimal = 0;
  for (int i = 0; i < NUNIT; i++) {
    if (is(s, n, units[i].name)) return &units[i];
  }
  for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++) {
    size_t used = strlen(prefixes[k].text);
    if (n <= used || memcmp(s, prefixes[k].text, used) != 0) continue;
    for (int i = 0; i < NUNIT; i++) {
      if (!units[i].has_prefixes || !is(s + used, n - used, units[i].name)) continue;
      *decimal = prefixes[k].decimal;
      return &units[i];
    }
  }
  return NULL;
}

// ---- products ------------------------------------------------------------------------------------

typedef struct scan {
  const char* s;
  size_t n, at;
  int depth;
  const char* bad;
  size_t nbad;
  char* si;  // the text in SI units; NULL: not wanted
  size_t size, nsi;
} scan;

static void put(scan* k, const char* text, size_t n) {
  for (size_t i = 0; i < n && k->si && k->nsi + 1 < k->size; i++) {
    k->si[k->nsi++] = text[i];
  }
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80 || c == '%';
}

static void skip_space(scan* k) {
  while (k->at < k->n && k->s[k->at] == ' ') {
    k->at++;
  }
}

static bool is_middle_dot(const scan* k) {
  return k->at + 1 < k->n && memcmp(k->s + k->at, "\xc2\xb7", 2) == 0;
}

static const junit one = {.num = 1.0, .den = 1.0, .irrational = 1.0, .over = 1.0};

static void multiply(junit* a, const junit* b, int power) {
  const junit* f = b;
  junit inverse;
  if (power < 0) {
    inverse = (junit){-b->decimal, b->den, b->num, b->over, b->irrational, {0}};
    f = &inverse;
  }
  for (int i = 0; i < (power < 0 ? -power : power); i++) {
    a->decimal += f->decimal;
    a->num *= f->num;
    a->den *= f->den;
    a->irrational *= f->irrational;
    a->over *= f->over;
  }
  for (int i = 0; i < JUNIT_DIMENSIONS; i++) {
    a->dimension[i] += power * b->dimension[i];
  }
}

static bool parse_product(scan* k, junit* out);

// name, 1 or ( product )
static bool parse_factor(scan* k, junit* out) {
  size_t start = k->at;
  if (k->at < k->n && k->s[k->at] == '(' && k->depth < 4) {
    k->at++;
    k->depth++;
    put(k, "(", 1);
    if (!parse_product(k, out)) return false;
    k->depth--;
    put(k, ")", 1);
    return k->at < k->n && k->s[k->at++] == ')';
  }
  if (k->at < k->n && (k->s[k->at] == '1' || k->s[k->at] == '-')) {
    k->at++;
  } else {
    while (k->at < k->n && is_letter(k->s[k->at]) && !is_middle_dot(k)) {
      k->at++;
    }
  }
  if (k->at == start) return false;
  int decimal;
  const entry* e = find_entry(k->s + start, k->at - start, &decimal);
  if (!e) {
    k->bad = k->s + start;
    k->nbad = k->at - start;
    return false;
  }
  *out = (junit){e->decimal + decimal, e->num, e->den, e->irrational, 1.0, {0}};
  memcpy(out->dimension, e->dimension, sizeof out->dimension);
  bool is_composed = strpbrk(e->si, "/^") != NULL;
  if (is_composed) put(k, "(", 1);
  put(k, e->si, strlen(e->si));
  if (is_composed) put(k, ")", 1);
  return true;
}

// factor [ ^ whole number ], or with a digit 2 or 3 written small
static bool parse_power(scan* k, junit* out, int sign) {
  junit f;
  if (!parse_factor(k, &f)) return false;
  int power = 1;
  if (k->at < k->n && k->s[k->at] == '^') {
    size_t start = k->at++;
    bool negative = k->at < k->n && k->s[k->at] == '-';
    if (negative) k->at++;
    if (k->at == k->n || k->s[k->at] < '1' || k->s[k->at] > '9') return false;
    power = (k->s[k->at++] - '0') * (negative ? -1 : 1);
    put(k, k->s + start, k->at - start);
  }
  multiply(out, &f, sign * power);
  return true;
}

// power { [ * | / | space ] power }: a quotient divides by what follows it alone
static bool parse_product(scan* k, junit* out) {
  *out = one;
  skip_space(k);
  if (!parse_power(k, out, 1)) return false;
  for (;;) {
    skip_space(k);
    if (k->at == k->n || k->s[k->at] == ')') return true;
    char c = k->s[k->at];
    if (is_middle_dot(k)) k->at += 2;
    if (c == '*' || c == '/') k->at++;
    put(k, c == '/' ? "/" : " ", 1);
    skip_space(k);
    if (!parse_power(k, out, c == '/' ? -1 : 1)) return false;
  }
}

bool junit_parse(const char* text, size_t n, junit* out, const char** bad, size_t* nbad) {
  scan k = {.s = text, .n = n};
  bool ok = n > 0 && n <= JUNIT_MAX_TEXT && parse_product(&k, out) && k.at == n;
  if (bad) *bad = ok ? NULL : k.bad;
  if (nbad) *nbad = ok ? 0 : k.nbad;
  return ok;
}

void junit_si_text(const char* text, size_t n, char* buffer, size_t size) {
  scan k = {.s = text, .n = n, .si = buffer, .size = size};
  junit u;
  parse_product(&k, &u);
  buffer[k.nsi] = '\0';
  // a single unit needs no brackets
  if (k.nsi > 2 && buffer[0] == '(' && strchr(buffer, ')') == buffer + k.nsi - 1) {
    memmove(buffer, buffer + 1, k.nsi - 2);
    buffer[k.nsi - 2] = '\0';
  }
}

// ---- numbers with units --------------------------------------------------------------------------

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool junit_split(const char* text, size_t* nnumber, size_t* unit, size_t* nunit) {
  size_t i = 0, n = strlen(text);
  double value;
  while (is_space(text[i])) {
    i++;
  }
  if (text[i] == '-' || text[i] == '+') i++;
  size_t used = jtext_scan_number(text + i, n - i, &value);
  if (used == 0) return false;
  i += used;
  *nnumber = i;
  while (is_space(text[i])) {
    i++;
  }
  while (n > i && is_space(text[n - 1])) {
    n--;
  }
  // "5 1/s", but not "5 1"
  bool begins = is_letter(text[i]) || (text[i] == '1' && text[i + 1] == '/' && i > *nnumber);
  *unit = i;
  *nunit = n - i;
  return i < n && begins;
}

double junit_scale(const char* number, size_t n, const junit* unit) {
  while (n > 0 && is_space(*number)) {
    number++, n--;
  }
  bool negative = n > 0 && *number == '-';
  if (n > 0 && (*number == '-' || *number == '+')) number++, n--;
  // a power of ten alone is taken with the digits; else numerator and denominator are whole numbers, as a rule exact
  bool is_decimal = unit->num == 1.0 && unit->den == 1.0 && unit->irrational == unit->over;
  double value = 0.0, power = pow(10.0, abs(unit->decimal));
  jtext_scan_scaled(number, n, is_decimal ? unit->decimal : 0, &value);
  if (!is_decimal) {
    double top = unit->num * (unit->decimal > 0 ? power : 1.0);
    double bottom = unit->den * (unit->decimal < 0 ? power : 1.0);
    value = value * top / bottom * unit->irrational / unit->over;
  }
  return negative ? -value : value;
}

double junit_shown(double value, const junit* unit) {
  double p = pow(10.0, abs(unit->decimal));
  value = unit->decimal < 0 ? value * p : value / p;
  return value * unit->den / unit->num * unit->over / unit->irrational;
}

bool junit_same_dimension(const junit* a, const junit* b) {
  return memcmp(a->dimension, b->dimension, sizeof a->dimension) == 0;
}

bool junit_is_coherent(const junit* u) {
  return u->decimal == 0 && u->num == u->den && u->irrational == u->over;
}
