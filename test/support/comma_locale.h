// SPDX-License-Identifier: Apache-2.0
// A locale with decimal commas, as a host may choose it.
#ifndef SUPPORT_COMMA_LOCALE_H
#define SUPPORT_COMMA_LOCALE_H

#include <stdbool.h>

// Choose one, for the whole process; where none is installed, one is made of the system's sources.
// False: there is none to be had.
bool comma_locale_choose(void);

// Back to "C".
void comma_locale_leave(void);

#endif
