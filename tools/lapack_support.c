// SPDX-License-Identifier: Apache-2.0
// What the LAPACK routines of self-contained builds need from outside. Error handlers do nothing, because a library
// must not print or stop: callers get the status. The other functions replace those of the Fortran runtime.
#include <stddef.h>
#include <string.h>

void xerbla_(const char* name, const int* info, size_t length);
void LAPACKE_xerbla(const char* name, int info);
void _gfortran_concat_string(size_t nout, char* out, size_t na, const char* a, size_t nb, const char* b);
size_t _gfortran_string_len_trim(size_t n, const char* text);

void xerbla_(const char* name, const int* info, size_t length) { (void)name, (void)info, (void)length; }

void LAPACKE_xerbla(const char* name, int info) { (void)name, (void)info; }

// Fortran's a // b, cut off or filled up with blanks
void _gfortran_concat_string(size_t nout, char* out, size_t na, const char* a, size_t nb, const char* b) {
  size_t ka = na < nout ? na : nout;
  size_t kb = nb < nout - ka ? nb : nout - ka;
  memmove(out, a, ka);
  memmove(out + ka, b, kb);
  memset(out + ka + kb, ' ', nout - ka - kb);
}

size_t _gfortran_string_len_trim(size_t n, const char* text) {
  while (n > 0 && text[n - 1] == ' ') n--;
  return n;
}
