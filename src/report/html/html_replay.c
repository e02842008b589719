// SPDX-License-Identifier: Apache-2.0
// The replay in a page: its canvas, its controls, and its data as JSON in whole millimetres.
#include <math.h>

#include "report/html/html.h"

void jreport_put_script_text(jtext* t, const char* s) {
  jtext_put(t, "\"");
  for (; *s; s++) {
    unsigned char c = (unsigned char)*s;
    // no '<' in a script: nothing can end it early
    if (c < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&') {
      jtext_printf(t, "\\u%04x", c);
    } else {
      jtext_write(t, s, 1);
    }
  }
  jtext_put(t, "\"");
}

static void put_list(jtext* t, const char* name, const double* x, size_t n) {
  jtext_printf(t, ",\n\"%s\":[", name);
  for (size_t i = 0; i < n; i++) {
    double mm = isfinite(x[i]) ? fmin(fmax(1e3 * x[i], -1e12), 1e12) : 0.0;
    jtext_printf(t, "%s%lld", i ? "," : "", (long long)llround(mm));
  }
  jtext_put(t, "]");
}

static void put_indices(jtext* t, const int* list, int n) {
  jtext_put(t, "[");
  for (int i = 0; i < n; i++) {
    jtext_printf(t, "%s%d", i ? "," : "", list[i]);
  }
  jtext_put(t, "]");
}

static void put_bodies(jtext* t, const jscene_replay* r) {
  jtext_put(t, ",\n\"bodies\":[");
  for (int i = 0; i < r->nbody; i++) {
    const jscene_replay_body* b = &r->body[i];
    jtext_put(t, i ? ",\n{\"name\":" : "\n{\"name\":");
    jreport_put_script_text(t, b->name);
    jtext_put(t, ",\"p\":");
    put_indices(t, b->point, b->npoint);
    jtext_put(t, ",\"e\":[");
    for (int k = 0; k < b->nedge; k++) {
      if (k) jtext_put(t, ",");
      put_indices(t, b->edge + 2 * k, 2);
    }
    jtext_put(t, "]}");
  }
  jtext_put(t, "]");
}

static void put_lines(jtext* t, const jscene_replay* r) {
  jtext_put(t, ",\n\"lines\":[");
  for (int i = 0; i < r->nline; i++) {
    const jscene_replay_line* l = &r->line[i];
    jtext_put(t, i ? ",{\"name\":" : "{\"name\":");
    jreport_put_script_text(t, l->name);
    jtext_printf(t, ",\"a\":%d,\"b\":%d,\"spring\":%s}", l->a, l->b,
                 l->is_spring ? "true" : "false");
  }
  jtext_put(t, "],\n\"wheels\":[");
  for (int i = 0; i < r->nwheel; i++) {
    jtext_put(t, i ? ",{\"name\":" : "{\"name\":");
    jreport_put_script_text(t, r->wheel[i].name);
    jtext_printf(t, ",\"r\":%lld}", llround(1e3 * fmin(fabs(r->wheel[i].radius), 1e6)));
  }
  jtext_put(t, "]");
}

static void put_road(jtext* t, const jscene_replay_road* road) {
  if (road->nx == 0) {
    jtext_put(t, ",\n\"road\":null");
    return;
  }
  jtext_printf(t,
               ",\n\"road\":{\"nx\":%d,\"ny\":%d,\"x0\":%.6g,\"y0\":%.6g,\"dx\":%.9g,"
               "\"dy\":%.9g",
               road->nx, road->ny, road->x0, road->y0, road->dx, road->dy);
  put_list(t, "z", road->z, (size_t)road->nx * (size_t)road->ny);
  jtext_put(t, "}");
}

static void put_data(jtext* t, const jscene_replay* r) {
  size_t nframe = (size_t)r->nframe;
  jtext_printf(t, "{\"t0\":%.9g,\"dt\":%.9g,\"frames\":%d,\"points\":%d,\"follow\":%d", r->t_start,
               r->dt, r->nframe, r->npoint, r->follow);
  put_bodies(t, r);
  put_lines(t, r);
  put_road(t, &r->road);
  put_list(t, "xyz", r->xyz, 3 * nframe * (size_t)r->npoint);
  put_list(t, "spin", r->spin, 9 * nframe * (size_t)r->nwheel);
  jtext_put(t, "}\n");
}

void jreport_html_replay(jtext* t, const jscene_replay* r) {
  if (r->nframe == 0) return;
  jtext_put(t,
            "<section>\n<h2>Replay</h2>\n<div class=\"card\"><canvas id=\"replay\"></canvas>\n"
            "<div class=\"controls\"><button id=\"play\" type=\"button\">Play</button>"
            "<input id=\"time\" type=\"range\" min=\"0\" step=\"1\" value=\"0\" "
            "aria-label=\"time\"><span id=\"clock\"></span>"
            "<label>speed <select id=\"speed\"><option value=\"0.05\">1/20</option>"
            "<option value=\"0.1\">1/10</option><option value=\"0.25\">1/4</option>"
            "<option value=\"0.5\">1/2</option><option value=\"1\" selected>1</option>"
            "<option value=\"2\">2</option></select></label></div>\n"
            "<p class=\"faint\">Drag to look from elsewhere, turn the mouse wheel to come "
            "closer.</p></div>\n<script type=\"application/json\" id=\"replay-data\">\n");
  put_data(t, r);
  jtext_put(t, "</script>\n<script>\n");
  jtext_put(t, jreport_replay_js);
  jtext_put(t, "</script>\n</section>\n");
}
