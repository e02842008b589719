// SPDX-License-Identifier: Apache-2.0
// Clocks, for measurements only: no result may depend on them.
#ifndef JBASE_CLOCK_H
#define JBASE_CLOCK_H

double jclock_wall(void);  // monotonic [s]
double jclock_cpu(void);   // CPU time of this process [s]

#endif
