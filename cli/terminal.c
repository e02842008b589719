// SPDX-License-Identifier: Apache-2.0
// Headings, columns and the progress bar.
#include "terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "jounce/jounce.h"

#define PLAIN_WIDTH 100
#define GAP         4    // between columns
#define QUIET_TIME  0.4  // before a bar shows [s]
#define REDRAW_TIME 0.1  // between two pictures of it [s]
#define BAR         40

int cli_width(void) {
  struct winsize size;
  if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20) {
    return size.ws_col;
  }
  return PLAIN_WIDTH;
}

void cli_put(FILE* f, const char* text) {
  for (; *text; text++) {
    int n = jo_text_character(text);
    if (n > 0) {
      fwrite(text, 1, (size_t)n, f);
      text += n - 1;
    } else if (*text == '\n' || *text == '\t') {
      putc(*text, f);
    } else {
      fprintf(f, "\\x%02x", (unsigned char)*text);
    }
  }
}

// The formatted text; NULL when there is no memory for it.
static char* format_text(const char* format, va_list args) {
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char* text = length < 0 ? NULL : malloc((size_t)length + 1);
  if (text) vsnprintf(text, (size_t)length + 1, format, args);
  return text;
}

// Texts of usual length need no memory, so that what was computed is told without any.
void cli_vprint(FILE* f, const char* format, va_list args) {
  char usual[1024];
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(usual, sizeof usual, format, again);
  va_end(again);
  bool fits = length >= 0 && (size_t)length < sizeof usual;
  char* longer = fits ? NULL : format_text(format, args);
  cli_put(f, fits ? usual : longer ? longer : "out of memory");
  free(longer);
}

void cli_print(FILE* f, const char* format, ...) {
  va_list args;
  va_start(args, format);
  cli_vprint(f, format, args);
  va_end(args);
}

void cli_heading(const char* format, ...) {
  bool is_bold = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
  va_list args;
  va_start(args, format);
  for (; *format == '\n'; format++) {
    putchar('\n');
  }
  if (is_bold) fputs("\033[1m", stdout);
  cli_vprint(stdout, format, args);
  if (is_bold) fputs("\033[0m", stdout);
  putchar('\n');
  va_end(args);
}

static void put_table_text(void* user, const char* text, size_t n) {
  (void)user;
  cli_print(stdout, "%.*s", (int)n, text);
}

void cli_table(const jo_table* table) {
  jo_table_print(table, cli_width(), put_table_text, NULL);
}

void cli_titled_table(const jo_table* table) {
  cli_heading("\n%s", table->title);
  cli_table(table);
}

void cli_tables(const jo_tables* tables) {
  for (int i = 0; i < tables->ntable; i++) {
    const jo_table* t = &tables->table[i];
    if (t->nrow > 0 && *t->title) cli_titled_table(t);
  }
}

// Characters as they show: bytes of UTF-8 that continue a character do not.
static int shown_length(const char* s) {
  int n = 0;
  for (; *s; s++) {
    n += ((unsigned char)*s & 0xc0) != 0x80;
  }
  return n;
}

// A cell there is no memory for is left out: nothing else can be done about it here.
void cli_cells_add(cli_cells* c, const char* format, ...) {
  if (c->n == c->cap) {
    int cap = 2 * c->cap + 16;
    char** text = realloc(c->text, (size_t)cap * sizeof *text);
    if (!text) return;
    c->text = text;
    c->cap = cap;
  }
  va_list args;
  va_start(args, format);
  char* cell = format_text(format, args);
  if (cell) c->text[c->n++] = cell;
  va_end(args);
}

static int widest(const cli_cells* c) {
  int width = 1;
  for (int i = 0; i < c->n; i++) {
    int length = shown_length(c->text[i]);
    if (length > width) width = length;
  }
  return width;
}

void cli_cells_print(cli_cells* c) {
  int width = widest(c), fit = (cli_width() - 2 + GAP) / (width + GAP);
  int ncolumn = fit < 1 ? 1 : fit;
  int nrow = (c->n + ncolumn - 1) / ncolumn;
  for (int r = 0; r < nrow; r++) {
    fputs("  ", stdout);
    for (int i = r; i < c->n; i += nrow) {
      int pad = i + nrow >= c->n ? 0 : width + GAP - shown_length(c->text[i]);
      cli_print(stdout, "%s%*s", c->text[i], pad, "");
    }
    putchar('\n');
  }
  for (int i = 0; i < c->n; i++) {
    free(c->text[i]);
  }
  free(c->text);
  *c = (cli_cells){0};
}

// ---- progress ------------------------------------------------------------------------------------

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

cli_progress cli_progress_begin(bool wanted) {
  cli_progress p = {.is_on = wanted && isatty(STDERR_FILENO)};
  p.start = p.shown = now();
  return p;
}

void cli_progress_show(cli_progress* p, double fraction) {
  if (!p->is_on) return;
  double t = now(), passed = t - p->start;
  if (passed < QUIET_TIME || t - p->shown < REDRAW_TIME) return;
  p->shown = t;
  p->is_drawn = true;
  if (!(fraction > 0.0)) fraction = 0.0;
  if (fraction > 1.0) fraction = 1.0;
  int full = (int)(fraction * BAR);
  fprintf(stderr, "\r[%.*s%*s] %3d %%", full, "########################################",
          BAR - full, "", (int)(100.0 * fraction));
  if (fraction > 0.01) fprintf(stderr, "  %.0f s left  ", passed * (1.0 - fraction) / fraction);
  fflush(stderr);
}

void cli_progress_end(cli_progress* p) {
  if (!p->is_drawn) return;
  fprintf(stderr, "\r%*s\r", BAR + 30, "");
  fflush(stderr);
  p->is_drawn = false;
}
