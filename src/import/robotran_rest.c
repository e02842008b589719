// SPDX-License-Identifier: Apache-2.0
// Cuts, links and parameters of ROBOTRAN.
#include <string.h>

#include "import/robotran.h"

// ---- cuts and links ------------------------------------------------------------------

typedef struct pair {
  const char* name;
  jimport_end a, b;
} pair;

static jo_status read_pair(jimport_rt* r, jimport_node* node, const char* kind, pair* p) {
  jimport_draft* d = r->d;
  p->name = jimport_child_text(node, "name");
  if (!p->name || !*p->name) p->name = kind;
  const char* whose = jimport_text(d, "%s '%s'", kind, jimport_show(d, p->name));
  JO_TRY(jimport_rt_end(r, node, "endpoint1", whose, &p->a));
  JO_TRY(jimport_rt_end(r, node, "endpoint2", whose, &p->b));
  if (p->a.body != p->b.body) return JO_OK;
  return jimport_refuse(d, node->line, "%s joins a body with itself", whose);
}

static void tell_ignored(jimport_draft* d, jimport_node* node, const char* name) {
  jimport_node* list = jimport_child(node, "ignore");
  if (!list || !list->first) return;
  jimport_child(list, "x");
  jimport_child(list, "y");
  jimport_child(list, "z");
  jimport_remark_add(d, JIMPORT_CHANGED, list->line,
                     "cut '%s' ignores some equations: here all are closed, and those that follow "
                     "from others are found",
                     jimport_show(d, name));
}

jo_status jimport_rt_cuts(jimport_rt* r, jimport_node* cuts) {
  jimport_draft* d = r->d;
  pair p;
  for (jimport_node* n = jimport_child(cuts, "ball"); n; n = jimport_next(n, "ball")) {
    JO_TRY(read_pair(r, n, "ball", &p));
    tell_ignored(d, n, p.name);
    jimport_ball(d, p.name, p.a, p.b, n->line);
  }
  for (jimport_node* n = jimport_child(cuts, "rod"); n; n = jimport_next(n, "rod")) {
    double length;
    JO_TRY(read_pair(r, n, "rod", &p));
    JO_TRY(jimport_rt_number(d, n, "length", &length));
    if (!(length > 0.0)) {
      return jimport_refuse(d, n->line, "rod '%s' needs a length above 0", jimport_show(d, p.name));
    }
    jimport_distance(d, p.name, p.a, p.b, length, n->line);
  }
  for (jimport_node* n = jimport_child(cuts, "solid"); n; n = jimport_next(n, "solid")) {
    double same[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    JO_TRY(read_pair(r, n, "solid", &p));
    tell_ignored(d, n, p.name);
    jimport_weld(d, p.name, p.a, p.b, same, n->line);
  }
  return JO_OK;
}

jo_status jimport_rt_links(jimport_rt* r, jimport_node* links) {
  jimport_draft* d = r->d;
  pair p;
  for (jimport_node* n = jimport_child(links, "link"); n; n = jimport_next(n, "link")) {
    JO_TRY(read_pair(r, n, "link", &p));
    const char* name = jimport_name(d, p.name, NULL, n->line);
    jimport_entry_add(d, JIMPORT_FORCES, name,
                      jimport_text(d, "{between: [%s, %s], force: 0}", jimport_end_text(d, p.a),
                                   jimport_end_text(d, p.b)),
                      "to fill in: user_LinkForces, of length and rate");
    jimport_remark_add(d, JIMPORT_TO_FILL, n->line, "force %s between two points (user_LinkForces)",
                       name);
  }
  for (jimport_node* n = jimport_child(links, "link3D"); n; n = jimport_next(n, "link3D")) {
    JO_TRY(read_pair(r, n, "link3D", &p));
    const char* name = jimport_name(d, p.name, NULL, n->line);
    jimport_entry_add(d, JIMPORT_BUSHES, name,
                      jimport_text(d, "{between: [%s, %s], stiffness: [0, 0, 0]}",
                                   jimport_end_text(d, p.a), jimport_end_text(d, p.b)),
                      "to fill in: user_Link3DForces");
    jimport_remark_add(d, JIMPORT_TO_FILL, n->line,
                       "bush %s for a link in three dimensions (user_Link3DForces)", name);
  }
  return JO_OK;
}

static jo_status read_parameter(jimport_draft* d, jimport_node* node, const char* model) {
  const char *name = jimport_child_text(node, "name"), *type = jimport_child_text(node, "type");
  bool is_state = type && strcmp(type, "state") == 0;
  int n = 0;
  for (jimport_node* v = node->first; v; v = v->next) {
    n += strcmp(v->name, "value") == 0;
  }
  if (!name || n == 0 || is_state) {
    jimport_read_all(node);
    jimport_remark_add(d, JIMPORT_LOST, node->line, "%s '%s' of the user's model '%s'",
                       type ? jimport_show(d, type) : "parameter",
                       jimport_show(d, name ? name : ""), jimport_show(d, model));
    return JO_OK;
  }
  int k = 0;
  for (jimport_node* v = jimport_child(node, "value"); v; v = jimport_next(v, "value")) {
    double x;
    JO_TRY(jimport_vector_of(d, v->line, "<value>", v->text, 1, &x));
    const char* wanted = n == 1 ? jimport_text(d, "%s_%s", model, name)
                                : jimport_text(d, "%s_%s_%d", model, name, ++k);
    jimport_entry_add(d, JIMPORT_PARAMETERS, jimport_name(d, wanted, NULL, v->line),
                      jimport_number(d, x), NULL);
  }
  return JO_OK;
}

jo_status jimport_rt_user_models(jimport_draft* d, jimport_node* models) {
  for (jimport_node* n = jimport_child(models, "user_model"); n;
       n = jimport_next(n, "user_model")) {
    const char* name = jimport_child_text(n, "name");
    if (!name || !*name) return jimport_refuse(d, n->line, "<user_model> without <name>");
    for (jimport_node* p = jimport_child(n, "parameter"); p; p = jimport_next(p, "parameter")) {
      JO_TRY(read_parameter(d, p, name));
    }
  }
  return JO_OK;
}
