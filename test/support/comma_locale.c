// SPDX-License-Identifier: Apache-2.0
#include "support/comma_locale.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool choose_any(void) {
  static const char* const name[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "nl_NL.UTF-8", "de_DE"};
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
    if (setlocale(LC_ALL, name[i]) && strcmp(localeconv()->decimal_point, ",") == 0) return true;
  }
  return false;
}

// Make one in a folder of its own. What was chosen stays when the folder goes.
static bool choose_made(void) {
  char dir[] = "/tmp/jounce-locale-XXXXXX", command[256];
  if (!mkdtemp(dir)) return false;
  snprintf(command, sizeof command,
           "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1 || true", dir);
  bool is_chosen = system(command) == 0 && setenv("LOCPATH", dir, 1) == 0 && choose_any();
  unsetenv("LOCPATH");
  snprintf(command, sizeof command, "rm -rf %s", dir);
  return system(command) == 0 && is_chosen;
}

bool comma_locale_choose(void) {
  return choose_any() || choose_made();
}

void comma_locale_leave(void) {
  setlocale(LC_ALL, "C");
}
