// SPDX-License-Identifier: Apache-2.0
// Events that fall on the end of the run, or on one another, by chance: the least change of a number that moves them decides
// whether there is one, or which comes first, and derivatives with respect to that number are those of one side.
// docs/theory/sensitivity.md eq. (S47)
#ifndef JSENS_KINK_H
#define JSENS_KINK_H

#include "sens/sens.h"

// Adds to r->brink, brink_at and brink_with, where those have nothing yet: r is of a walk along `of`, whose record is there. A
// walk backward does not know how numbers move events: another one is made where there is something to know.
jo_status jsens_kinks(const jsens* s, jplant_work* run, const jsens_result* of, jsens_result* r);

#endif
