// SPDX-License-Identifier: Apache-2.0
#include "export/unit.h"

#include <stddef.h>
#include <string.h>

#define PI        3.14159265358979323846
#define MAX_POWER 20

// Units by their powers of kg, m, s, A, K, mol, cd, rad.
typedef struct symbol {
  const char* name;
  double factor;
  int power[JEXPORT_BASE_UNITS];
  bool has_prefixes;
} symbol;

static const symbol symbols[] = {
    {"m", 1.0, {0, 1}, true},
    {"g", 1e-3, {1}, true},
    {"s", 1.0, {0, 0, 1}, true},
    {"A", 1.0, {0, 0, 0, 1}, true},
    {"K", 1.0, {0, 0, 0, 0, 1}, true},
    {"mol", 1.0, {0, 0, 0, 0, 0, 1}, true},
    {"cd", 1.0, {0, 0, 0, 0, 0, 0, 1}, true},
    {"rad", 1.0, {0, 0, 0, 0, 0, 0, 0, 1}, true},
    {"N", 1.0, {1, 1, -2}, true},
    {"Pa", 1.0, {1, -1, -2}, true},
    {"J", 1.0, {1, 2, -2}, true},
    {"W", 1.0, {1, 2, -3}, true},
    {"Hz", 1.0, {0, 0, -1}, true},
    {"C", 1.0, {0, 0, 1, 1}, true},
    {"V", 1.0, {1, 2, -3, -1}, true},
    {"Ohm", 1.0, {1, 2, -3, -2}, true},
    {"F", 1.0, {-1, -2, 4, 2}, true},
    {"H", 1.0, {1, 2, -2, -2}, true},
    {"Wb", 1.0, {1, 2, -2, -1}, true},
    {"T", 1.0, {1, 0, -2, -1}, true},
    {"bar", 1e5, {1, -1, -2}, true},
    {"deg", PI / 180.0, {0, 0, 0, 0, 0, 0, 0, 1}, false},
    {"rev", 2.0 * PI, {0, 0, 0, 0, 0, 0, 0, 1}, false},
    {"min", 60.0, {0, 0, 1}, false},
    {"h", 3600.0, {0, 0, 1}, false},
    {"l", 1e-3, {0, 3}, false},
    {"L", 1e-3, {0, 3}, false},
    {"t", 1e3, {1}, false},
    {"%", 1e-2, {0}, false},
    {"1", 1.0, {0}, false},
};

static const struct {
  char letter;
  double factor;
} prefixes[] = {{'G', 1e9},  {'M', 1e6},  {'k', 1e3},  {'h', 1e2}, {'d', 1e-1},
                {'c', 1e-2}, {'m', 1e-3}, {'u', 1e-6}, {'n', 1e-9}};

const char* jexport_base_unit_name(jexport_base_unit base) {
  static const char* const name[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
  return name[base];
}

static const symbol* find(const char* s, size_t n) {
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    if (strlen(symbols[i].name) == n && strncmp(symbols[i].name, s, n) == 0) return &symbols[i];
  }
  return NULL;
}

// A symbol as it is, or behind a prefix.
static const symbol* find_prefixed(const char* s, size_t n, double* factor) {
  const symbol* found = find(s, n);
  *factor = 1.0;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && !found && n > 1; i++) {
    if (s[0] != prefixes[i].letter) continue;
    const symbol* behind = find(s + 1, n - 1);
    if (behind && behind->has_prefixes) found = behind;
    *factor = prefixes[i].factor;
  }
  return found;
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static void skip_blanks(const char** s) {
  while (**s == ' ')
    (*s)++;
}

static double to_power(double x, int power) {
  double y = 1.0;
  for (int i = 0; i < (power < 0 ? -power : power); i++)
    y *= x;
  return power < 0 ? 1.0 / y : y;
}

static void multiply(jexport_unit* u, const int* power, double factor, int times) {
  for (int i = 0; i < JEXPORT_BASE_UNITS; i++)
    u->power[i] += times * power[i];
  u->factor *= to_power(factor, times);
}

// A power behind a symbol: ^2, ^-2, ^(-2), 2. None is 1.
static bool read_power(const char** s, int* power) {
  bool has_hat = **s == '^', has_parenthesis = false, is_negative = false;
  *power = 1;
  if (has_hat) (*s)++;
  if (has_hat && **s == '(') has_parenthesis = *(*s)++ != '\0';
  if (**s == '-' && is_digit((*s)[1])) is_negative = *(*s)++ != '\0';
  if (!is_digit(**s)) return !has_hat && !is_negative;
  int n = 0;
  while (is_digit(**s) && n <= MAX_POWER)
    n = 10 * n + (*(*s)++ - '0');
  if (has_parenthesis && *(*s)++ != ')') return false;
  *power = is_negative ? -n : n;
  return n <= MAX_POWER && **s != '.';
}

static bool read_symbol(const char** s, int sign, jexport_unit* u) {
  size_t n = **s == '1' && !is_digit((*s)[1]) ? 1 : 0;
  while (is_letter((*s)[n]))
    n++;
  double factor = 1.0;
  const symbol* found = find_prefixed(*s, n, &factor);
  if (!found) return false;
  *s += n;
  int power = 1;
  if (!read_power(s, &power)) return false;
  multiply(u, found->power, factor * found->factor, sign * power);
  return true;
}

// Factors up to the end or a closing parenthesis. Behind a division by one factor there may be another division,
// but not a product: "N/m s" means one thing to one reader and another to the next.
static bool read_product(const char** s, int sign, int depth, jexport_unit* u) {
  bool divides = false, has_divided = false;
  for (;;) {
    skip_blanks(s);
    bool is_group = **s == '(' && depth < 4;
    if (is_group) {
      (*s)++;
      if (!read_product(s, divides ? -sign : sign, depth + 1, u) || *(*s)++ != ')') return false;
    } else if (!read_symbol(s, divides ? -sign : sign, u)) {
      return false;
    }
    has_divided = has_divided || divides;
    skip_blanks(s);
    if (**s == '\0' || **s == ')') return true;
    divides = **s == '/';
    if (has_divided && !divides) return false;
    if (**s == '/' || **s == '*' || **s == '.') (*s)++;
  }
}

bool jexport_unit_parse(const char* text, jexport_unit* out) {
  jexport_unit u = {.factor = 1.0};
  const char* s = text;
  bool is_read = strcmp(text, "-") == 0 || (read_product(&s, 1, 0, &u) && *s == '\0');
  if (is_read) *out = u;
  return is_read;
}
