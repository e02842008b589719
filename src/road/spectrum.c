// SPDX-License-Identifier: Apache-2.0
#include "road/spectrum.h"

#include <math.h>
#include <string.h>

#define PI        3.14159265358979323846
#define SMOOTHEST 16e-6  // of class A at 0.1 cycles/m [m^3]
#define SEGMENT   4096
#define LEAST     64  // heights that a spectrum is made of

// In place, n a power of two.
static void transform(int n, double* re, double* im) {
  for (int i = 1, j = 0; i < n; i++) {
    int bit = n >> 1;
    for (; j & bit; bit >>= 1) {
      j ^= bit;
    }
    j ^= bit;
    if (i < j) {
      double r = re[i], m = im[i];
      re[i] = re[j], im[i] = im[j];
      re[j] = r, im[j] = m;
    }
  }
  for (int half = 1; half < n; half *= 2) {
    for (int k = 0; k < half; k++) {
      double c = cos(PI * k / half), s = -sin(PI * k / half);
      for (int i = k; i < n; i += 2 * half) {
        double r = re[i + half] * c - im[i + half] * s, m = re[i + half] * s + im[i + half] * c;
        re[i + half] = re[i] - r, im[i + half] = im[i] - m;
        re[i] += r, im[i] += m;
      }
    }
  }
}

// Density over wave numbers k / (n spacing), k < n/2, of overlapping pieces with von Hann's window, each without its mean.
static void estimate(int count, double spacing, const double* z, int n, double* density) {
  static const double window_power = 0.375;
  double re[SEGMENT], im[SEGMENT];
  int pieces = 0;
  memset(density, 0, (size_t)(n / 2) * sizeof *density);
  for (int from = 0; from + n <= count; from += n / 2, pieces++) {
    double mean = 0.0;
    for (int i = 0; i < n; i++) {
      mean += z[from + i] / n;
    }
    for (int i = 0; i < n; i++) {
      re[i] = (z[from + i] - mean) * 0.5 * (1.0 - cos(2.0 * PI * i / n));
      im[i] = 0.0;
    }
    transform(n, re, im);
    for (int k = 0; k < n / 2; k++) {
      density[k] += 2.0 * spacing / (n * window_power) * (re[k] * re[k] + im[k] * im[k]);
    }
  }
  for (int k = 0; k < n / 2; k++) {
    density[k] /= pieces;
  }
}

// ISO 8608: limits of the classes are twice their geometric means, which are four times those of the class before
static int class_of(double density, double smooth) {
  int class_ = 0;
  for (double limit = 2.0 * smooth; density > limit && class_ < 7; limit *= 4.0) {
    class_++;
  }
  return class_;
}

double jroad_smoothest(double wave_number) {
  return SMOOTHEST * 0.01 / (wave_number * wave_number);
}

int jroad_spectrum(int n, double spacing, const double* z, jo_road_band* band) {
  double density[SEGMENT / 2];
  int length = SEGMENT, count = 0;
  if (n < LEAST || !(spacing > 0.0) || !isfinite(spacing)) return 0;
  for (int i = 0; i < n; i++) {
    if (!isfinite(z[i])) return 0;
  }
  while (length > n) {
    length /= 2;
  }
  estimate(n, spacing, z, length, density);
  for (int k = 4; 2 * k <= length / 2 && count < JO_ROAD_BANDS; k *= 2) {
    double sum = 0.0, step = 1.0 / (length * spacing), middle = k * sqrt(2.0) * step;
    for (int i = k; i < 2 * k; i++) {
      sum += density[i];
    }
    double mean = sum / k;
    // of a density that falls as n^-2 the mean over an octave from a to 2 a is that at its middle
    double smooth = jroad_smoothest(middle);
    if (!isfinite(mean) || !(smooth > 0.0) || !isfinite(smooth)) return 0;
    band[count++] = (jo_road_band){k * step, 2 * k * step, mean, smooth, class_of(mean, smooth)};
  }
  return count;
}
