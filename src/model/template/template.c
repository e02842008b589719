// SPDX-License-Identifier: Apache-2.0
// `templates:` and `instances:`: every instance is a copy of its template, laid into the sections of the model
// under its name. What refers to what is found out later, by those who read the sections.
#include <string.h>

#include "model/element.h"
#include "model/template/instance.h"

#define MAX_DEPTH     8       // instances inside of instances
#define MAX_INSTANCES 2000    // of a model
#define MAX_MADE      400000  // nodes of all copies
#define MAX_ENTRIES   20000   // of a section, as in a file

static const jmodel_key port_keys[] = {{JMODEL_KEY_TEXT("default")}, {JMODEL_KEY_DESCRIPTION}, {0}};
static const jmodel_key port_form = {.is = JMODEL_A_MAP, .keys = port_keys};
static const jmodel_key ports_form = {JMODEL_KEY_SECTION("ports", port_form)};
static const jmodel_key template_keys[] = {
    {.name = "ports",
     .is = JMODEL_A_LIST,
     .item = &jmodel_form_name,
     .as = &ports_form,
     .about = "Names of what who uses it gives: bodies, tables, coordinates, signals"},
    {JMODEL_KEY_DESCRIPTION},
    {0}};
static const jmodel_key template_form = {
    .name = "template", .is = JMODEL_A_MAP | JMODEL_WITH_SECTIONS, .keys = template_keys};
const jmodel_key jmodel_section_templates = {JMODEL_KEY_SECTION("templates", template_form),
                                             .about = "Assemblies written once, for instances"};

static const char* const axes[] = {"x", "y", "z", NULL};
static const jmodel_key instance_keys[] = {
    {JMODEL_KEY_TEXT("template"), .about = "Which one"},
    {JMODEL_KEY_TEXT("mirror"), .about = "x, y or z: the template mirrored in its plane of that "
                                         "normal; or an instance: its mirror image"},
    {JMODEL_KEY_WORD("about", axes),
     .about = "Normal of the plane of a mirror image; y unless given"},
    {JMODEL_KEY_SECTION("ports", jmodel_form_text),
     .about = "What stands for the ports of the template"},
    {JMODEL_KEY_AS("at", jmodel_form_vector), .unit = "m",
     .about = "Where the origin of the template is put"},
    {JMODEL_KEY_NUMBER("turn"), .unit = "rad", .about = "About z, before it is put there"},
    {JMODEL_KEY_DESCRIPTION},
    {0}};
static const jmodel_key instance_form = {
    .name = "instance", .is = JMODEL_A_MAP | JMODEL_WITH_SECTIONS, .keys = instance_keys};
const jmodel_key jmodel_section_instances = {JMODEL_KEY_SECTION("instances", instance_form),
                                             .about = "Templates used under a name"};

static bool is_listed(const char* key, const jmodel_key* list) {
  for (int i = 0; list[i].name; i++) {
    if (strcmp(key, list[i].name) == 0) return true;
  }
  return false;
}

static bool is_section(const char* key) {
  for (int i = 0; jmodel_section_at(i); i++) {
    const jmodel_section_about* s = jmodel_section_at(i);
    if (s->in_template && strcmp(key, s->key->name) == 0) return true;
  }
  return jmodel_section_kind(key) != NULL;
}

static void check_keys(const jmodel_at* at, const jmodel_node* map, const jmodel_key* own) {
  for (const jmodel_node* c = map->first; c; c = c->next) {
    if (is_section(c->key) || is_listed(c->key, own)) continue;
    jmodel_guess guess = jmodel_guess_begin(c->key);
    for (int i = 0; own[i].name; i++) {
      jmodel_guess_add(&guess, own[i].name);
    }
    for (int i = 0; jmodel_section_at(i); i++) {
      if (jmodel_section_at(i)->in_template)
        jmodel_guess_add(&guess, jmodel_section_at(i)->key->name);
    }
    for (int i = 0; jmodel_class_at(i); i++) {
      jmodel_guess_add(&guess, jmodel_class_at(i)->section);
    }
    jmodel_mistake(at, c->key_place, "unknown key '%.60s'%s", c->key,
                   jmodel_guess_hint(at->r, &guess));
  }
}

// ---- copies --------------------------------------------------------------------------------------

static jmodel_node* new_node(jmodel_reader* r, const jmodel_node* like) {
  jmodel_node* node = JARENA_NEW(&r->scratch, jmodel_node);
  if (!node) {
    jmodel_out_of_memory(r);
    return NULL;
  }
  *node = *like;
  node->next = node->first = node->last = NULL;
  node->n = 0;
  return node;
}

// A node and all below it as those of an instance. The depth is that of a file (yaml.c).
static jmodel_node* copy(jmodel_reader* r, const jmodel_node* from, const jmodel_instance* in) {
  jmodel_node* node = r->oom || r->nmade > MAX_MADE ? NULL : new_node(r, from);
  if (!node) return NULL;
  r->nmade++;
  node->in = in;
  for (const jmodel_node* c = from->first; c; c = c->next) {
    jmodel_node* child = copy(r, c, in);
    if (!child) return NULL;
    jmodel_node_append(node, child);
  }
  return node;
}

static bool has_room(const jmodel_at* at, jmodel_place place) {
  if (at->r->nmade <= MAX_MADE) return !at->r->oom;
  jmodel_mistake(at, place, "the instances hold more than %d entries together", MAX_MADE);
  return false;
}

// ---- what an instance is made of -------------------------------------------------------------------

// Template, placing and changes, gathered from an instance and those it is a mirror image of.
typedef struct recipe {
  const jmodel_node* template;
  const jmodel_node*
      layer[JMODEL_MAX_PLACING];  // the image first, what it is an image of behind it
  int nlayer;
} recipe;

static int axis_of(const jmodel_node* node) {
  bool is_axis = node && node->kind == JMODEL_NODE_TEXT && node->text[0] >= 'x' &&
                 node->text[0] <= 'z' && !node->text[1];
  return is_axis ? node->text[0] - 'x' : -1;
}

static bool is_image(const jmodel_node* node) {
  const jmodel_node* mirror = jmodel_node_find(node, "mirror");
  return mirror && axis_of(mirror) < 0;
}

static const jmodel_node* find_template(const jmodel_at* at, const jmodel_node* node) {
  const jmodel_node* name = jmodel_need(at, node, "template");
  const jmodel_node* all = jmodel_node_find(at->r->root, "templates");
  if (!name || !jmodel_is(at, name, JMODEL_NODE_TEXT, "template")) return NULL;
  const jmodel_node* found = jmodel_node_find(all, name->text);
  if (found && found->kind == JMODEL_NODE_MAP) return found;
  jmodel_guess guess = jmodel_guess_begin(name->text);
  const jmodel_node* c = all && all->kind == JMODEL_NODE_MAP ? all->first : NULL;
  for (; c; c = c->next) {
    jmodel_guess_add(&guess, c->key);
  }
  jmodel_mistake(at, name->place, "there is no template '%.60s'%s", name->text,
                 jmodel_guess_hint(at->r, &guess));
  return NULL;
}

static const jmodel_node* find_original(const jmodel_at* at, const jmodel_node* siblings,
                                        const jmodel_node* mirror) {
  if (!jmodel_is(at, mirror, JMODEL_NODE_TEXT, "mirror")) return NULL;
  const jmodel_node* found = jmodel_node_find(siblings, mirror->text);
  if (found && found->kind == JMODEL_NODE_MAP) return found;
  jmodel_guess guess = jmodel_guess_begin(mirror->text);
  for (const jmodel_node* c = siblings->first; c; c = c->next) {
    jmodel_guess_add(&guess, c->key);
  }
  jmodel_mistake(at, mirror->place, "mirror: there is no instance '%.60s'%s", mirror->text,
                 jmodel_guess_hint(at->r, &guess));
  return NULL;
}

static void refuse(const jmodel_at* at, const jmodel_node* node, const char* key,
                   const char* cause) {
  const jmodel_node* found = jmodel_node_find(node, key);
  if (found) jmodel_mistake(at, found->key_place, "%s", cause);
}

static bool find_recipe(const jmodel_at* at, const jmodel_node* siblings, const jmodel_node* node,
                        recipe* out) {
  *out = (recipe){.template = NULL};
  for (;;) {
    for (int i = 0; i < out->nlayer; i++) {
      if (out->layer[i] != node) continue;
      jmodel_mistake(at, node->key_place, "it is a mirror image of itself");
      return false;
    }
    if (out->nlayer == JMODEL_MAX_PLACING - 3) {
      jmodel_mistake(at, node->key_place, "mirror images of mirror images, too many");
      return false;
    }
    out->layer[out->nlayer++] = node;
    if (!is_image(node)) break;
    refuse(at, node, "template", "'mirror' names an instance, which has a template already");
    refuse(at, node, "at", "a mirror image has its place; give 'at' to what it is an image of");
    refuse(at, node, "turn", "a mirror image has its place; give 'turn' to what it is an image of");
    node = find_original(at, siblings, jmodel_node_find(node, "mirror"));
    if (!node) return false;
  }
  refuse(at, node, "about", "'about' goes with 'mirror: instance'; write 'mirror: y'");
  out->template = find_template(at, node);
  return out->template != NULL;
}

// ---- placing -------------------------------------------------------------------------------------

static jmodel_placing* add_placing(jmodel_instance* in, int kind, const jmodel_node* node) {
  jmodel_placing* p = &in->placing[in->nplacing++];
  *p = (jmodel_placing){.node = node, .axis = -1};
  if (kind == JMODEL_PLACED_TURN) p->kind = JMODEL_PLACED_TURN;
  if (kind == JMODEL_PLACED_SHIFT) p->kind = JMODEL_PLACED_SHIFT;
  return p;
}

static void add_mirror(jmodel_instance* in, int axis) {
  add_placing(in, JMODEL_PLACED_MIRROR, NULL)->axis = axis;
  in->flip[axis] = -in->flip[axis];
  in->handed = -in->handed;
}

// In the order in which they act: mirrored, turned and shifted where the template is used, then images of it.
static void set_placing(const jmodel_at* at, const recipe* k, jmodel_instance* in) {
  const jmodel_node* base = k->layer[k->nlayer - 1];
  const jmodel_node* mirror = jmodel_node_find(base, "mirror");
  const jmodel_node* turn = jmodel_node_find(base, "turn");
  const jmodel_node* shift = jmodel_node_find(base, "at");
  if (mirror) add_mirror(in, axis_of(mirror));
  if (turn) add_placing(in, JMODEL_PLACED_TURN, turn)->path = "turn";
  if (shift) add_placing(in, JMODEL_PLACED_SHIFT, shift)->path = "at";
  in->is_moved = in->is_moved || turn || shift;
  for (int i = k->nlayer - 2; i >= 0; i--) {
    const jmodel_node* about = jmodel_node_find(k->layer[i], "about");
    int axis = about ? axis_of(about) : 1;
    if (axis < 0) jmodel_mistake(at, about->place, "about must be x, y or z: the plane's normal");
    add_mirror(in, axis < 0 ? 1 : axis);
  }
}

// ---- ports ---------------------------------------------------------------------------------------

static const jmodel_node* given_port(const recipe* k, const char* name) {
  for (int i = 0; i < k->nlayer; i++) {
    const jmodel_node* found = jmodel_node_find(jmodel_node_find(k->layer[i], "ports"), name);
    if (found) return found;
  }
  return NULL;
}

static bool is_local(const jmodel_node* template, const char* name) {
  for (const jmodel_node* s = template->first; s; s = s->next) {
    if (is_section(s->key) && strcmp(s->key, "initial") != 0 && jmodel_node_find(s, name)) {
      return true;
    }
  }
  return false;
}

// ports: [body, rack], or {body: {default: ground, description: ...}, rack: }
static void bind_port(const jmodel_at* at, const recipe* k, const jmodel_node* declared,
                      const char* name, jmodel_instance* in) {
  jmodel_port* p = &in->port[in->nport];
  jmodel_place place = declared->key ? declared->key_place : declared->place;
  *p = (jmodel_port){.name = name, .place = place};
  if (!jmodel_is_good_name(at, name, place)) return;
  for (int i = 0; i < in->nport; i++) {
    if (strcmp(in->port[i].name, name) != 0) continue;
    jmodel_mistake(at, place, "port '%s' is given twice; first in line %d", name,
                   in->port[i].place.line);
    return;
  }
  in->nport++;
  jmodel_check_keys(at, declared, port_keys);
  if (is_local(k->template, name)) {
    jmodel_mistake(at, place, "port '%s' has the name of something of the template", name);
  }
  const jmodel_node* given = given_port(k, name);
  const jmodel_node* otherwise = jmodel_node_find(declared, "default");
  if (given && jmodel_is(at, given, JMODEL_NODE_TEXT, name)) {
    p->bound = jmodel_full_name(at->r, in->outer, given->text);
  } else if (!given && otherwise && otherwise->kind == JMODEL_NODE_TEXT) {
    p->bound = otherwise->text;
  } else if (!given) {
    jmodel_mistake(at, in->place, "port '%s' is missing; the template asks for it (%s:%d)", name,
                   place.file, place.line);
  }
}

static void check_ports_given(const jmodel_at* at, const recipe* k, const jmodel_instance* in) {
  for (int i = 0; i < k->nlayer; i++) {
    const jmodel_node* ports = jmodel_node_find(k->layer[i], "ports");
    if (!ports || !jmodel_is(at, ports, JMODEL_NODE_MAP, "ports")) continue;
    for (const jmodel_node* c = ports->first; c; c = c->next) {
      jmodel_guess guess = jmodel_guess_begin(c->key);
      bool is_known = false;
      for (int p = 0; p < in->nport; p++) {
        is_known = is_known || strcmp(in->port[p].name, c->key) == 0;
        jmodel_guess_add(&guess, in->port[p].name);
      }
      if (is_known) continue;
      jmodel_mistake(at, c->key_place, "template '%s' has no port '%.60s'%s", in->template, c->key,
                     jmodel_guess_hint(at->r, &guess));
    }
  }
}

static void bind_ports(const jmodel_at* at, const recipe* k, jmodel_instance* in) {
  const jmodel_node* ports = jmodel_node_find(k->template, "ports");
  bool is_list = ports && ports->kind == JMODEL_NODE_LIST;
  bool is_map = ports && ports->kind == JMODEL_NODE_MAP;
  if (ports && !is_list && !is_map && ports->kind != JMODEL_NODE_NULL) {
    jmodel_mistake(at, ports->place, "ports needs a list of names");
  }
  in->port = JMODEL_ARRAY(at->r, is_list || is_map ? ports->n : 0, jmodel_port);
  if (!in->port) return;
  for (const jmodel_node* c = is_list || is_map ? ports->first : NULL; c; c = c->next) {
    if (is_map || jmodel_is(at, c, JMODEL_NODE_TEXT, "a port")) {
      bind_port(at, k, c, is_map ? c->key : c->text, in);
    }
  }
  check_ports_given(at, k, in);
}

// ---- contents --------------------------------------------------------------------------------------

// Values of parameters come from outside, with the names that are known there.
static void give_parameters(const jmodel_at* at, const jmodel_node* given, jmodel_node* inside,
                            const jmodel_instance* in) {
  jmodel_node* all = jmodel_node_find(inside, "parameters");
  if (!given || !jmodel_is(at, given, JMODEL_NODE_MAP, "parameters")) return;
  for (const jmodel_node* c = given->first; c; c = c->next) {
    const jmodel_node* known = jmodel_node_find(all, c->key);
    jmodel_guess guess = jmodel_guess_begin(c->key);
    for (const jmodel_node* p = all ? all->first : NULL; p; p = p->next) {
      jmodel_guess_add(&guess, p->key);
    }
    if (!known) {
      jmodel_mistake(at, c->key_place, "template '%s' has no parameter '%.60s'%s", in->template,
                     c->key, jmodel_guess_hint(at->r, &guess));
    }
    if (c->kind == JMODEL_NODE_NULL)
      jmodel_mistake(at, c->key_place, "parameter '%s' is empty", c->key);
  }
  if (!all || all->kind != JMODEL_NODE_MAP || !jmodel_goes_on(at->r)) return;
  jmodel_node* over = copy(at->r, given, in->outer);
  if (over) jmodel_merge(all, over);
}

// Other sections of an instance are read as if they stood in the template.
static void lay_over(const jmodel_at* at, const jmodel_node* layer, jmodel_node* inside,
                     const jmodel_instance* in) {
  jmodel_node over = {.kind = JMODEL_NODE_MAP, .text = "", .place = layer->place};
  for (const jmodel_node* c = layer->first; c; c = c->next) {
    if (!is_section(c->key) || strcmp(c->key, "parameters") == 0) continue;
    jmodel_node* changed = copy(at->r, c, in);
    if (changed) jmodel_node_append(&over, changed);
  }
  jmodel_merge(inside, &over);
  give_parameters(at, jmodel_node_find(layer, "parameters"), inside, in);
}

static jmodel_node* section_of_model(jmodel_reader* r, jmodel_node* root, const jmodel_node* like) {
  jmodel_node* section = jmodel_node_find(root, like->key);
  if (section && section->kind == JMODEL_NODE_MAP) return section;
  if (section && section->kind != JMODEL_NODE_NULL) return NULL;  // told where it is read
  if (!section) {
    section = new_node(r, like);
    if (!section) return NULL;
    jmodel_node_append(root, section);
  }
  section->kind = JMODEL_NODE_MAP;
  section->in = NULL;
  return section;
}

// Initial conditions are on quantities: a name, or an expression.
static void set_key(const jmodel_at* at, const jmodel_node* section, jmodel_node* entry,
                    const jmodel_instance* in) {
  const char* key = entry->local = entry->key;
  if (strcmp(section->key, "initial") != 0) {
    entry->key = jmodel_format(at->r, "%s.%s", in->name, key);
  } else if (jmodel_is_quantity(key)) {
    int sign;
    entry->key = jmodel_full_quantity(at->r, in, key, strlen(key), &sign);
    entry->is_opposite = sign < 0;
  } else {
    entry->key = jmodel_full_expression(at, in, key);
  }
  entry->key_hash = jhash_bytes(entry->key, strlen(entry->key));
}

static void lay_section(const jmodel_at* at, jmodel_node* root, const jmodel_node* section,
                        const jmodel_instance* in) {
  jmodel_reader* r = at->r;
  if (section->kind == JMODEL_NODE_NULL) return;
  if (!jmodel_is(at, section, JMODEL_NODE_MAP, section->key)) return;
  jmodel_node* to = section_of_model(r, root, section);
  for (const jmodel_node* c = to ? section->first : NULL; c && !r->oom; c = c->next) {
    jmodel_node* entry = new_node(r, c);
    if (!entry) return;
    entry->first = c->first;
    entry->last = c->last;
    entry->n = c->n;
    set_key(at, section, entry, in);
    const jmodel_node* before = jmodel_node_find(to, entry->key);
    if (to->n >= MAX_ENTRIES) {
      jmodel_mistake(at, c->key_place, "more than %d entries under '%s'", MAX_ENTRIES,
                     section->key);
      r->nmade = MAX_MADE + 1;
      return;
    }
    if (before) {
      jmodel_mistake(at, c->key_place, "'%.120s' is there already (line %d)", entry->key,
                     before->key_place.line);
    } else {
      jmodel_node_append(to, entry);
    }
  }
}

// ---- instances -----------------------------------------------------------------------------------

static void expand_all(jmodel_reader* r, jmodel_node* root, const jmodel_node* siblings,
                       const jmodel_node* scope, const jmodel_instance* outer);

static bool is_recursive(const jmodel_instance* outer, const char* template) {
  for (; outer; outer = outer->outer) {
    if (strcmp(outer->template, template) == 0) return true;
  }
  return false;
}

static jmodel_instance* new_instance(const jmodel_at* at, const recipe* k, const jmodel_node* node,
                                     const jmodel_instance* outer) {
  jmodel_reader* r = at->r;
  jmodel_instance* in = JMODEL_ARRAY(r, 1, jmodel_instance);
  if (!in) return NULL;
  *in = (jmodel_instance){.outer = outer, .name = at->name, .template = k->template->key};
  const char* base = k->layer[k->nlayer - 1]->key;
  bool is_own = k->nlayer == 1;
  if (is_own) {
    in->placed_as = in->name;
  } else {
    in->placed_as = outer ? jmodel_format(r, "%s.%s", outer->name, base) : jmodel_keep(r, base);
  }
  in->place = node->key_place;
  in->told = jmodel_format(r, "instance '%s' (template '%s')", in->name, in->template);
  in->depth = outer ? outer->depth + 1 : 1;
  in->is_moved = outer && outer->is_moved;
  in->handed = outer ? outer->handed : 1;
  for (int i = 0; i < 3; i++) {
    in->flip[i] = outer ? outer->flip[i] : 1;
  }
  *(r->last_instance ? &r->last_instance->next : &r->instance) = in;
  r->last_instance = in;
  return in;
}

static void expand(const jmodel_at* at, jmodel_node* root, const jmodel_node* siblings,
                   const jmodel_node* node, const jmodel_instance* outer) {
  jmodel_reader* r = at->r;
  recipe k;
  if (!find_recipe(at, siblings, node, &k)) return;
  if (is_recursive(outer, k.template->key)) {
    jmodel_mistake(at, node->key_place, "template '%s' uses itself", k.template->key);
    return;
  }
  jmodel_instance* in = new_instance(at, &k, node, outer);
  if (!in) return;
  check_keys(at, node, instance_keys);
  set_placing(at, &k, in);
  jmodel_node* inside = copy(r, k.template, in);
  in->inside = inside;
  if (!has_room(at, node->key_place) || !inside) return;
  bind_ports(at, &k, in);
  for (int i = k.nlayer - 1; i >= 0; i--) {
    lay_over(at, k.layer[i], inside, in);
  }
  if (!has_room(at, node->key_place)) return;
  for (const jmodel_node* s = inside->first; s && jmodel_goes_on(r); s = s->next) {
    bool is_inner = strcmp(s->key, "instances") == 0;
    if (is_section(s->key) && !is_inner) lay_section(at, root, s, in);
  }
  expand_all(r, root, jmodel_node_find(inside, "instances"), inside, in);
}

static void expand_all(jmodel_reader* r, jmodel_node* root, const jmodel_node* siblings,
                       const jmodel_node* scope, const jmodel_instance* outer) {
  jmodel_at all = {r, "instances", NULL, ""};
  if (!siblings || siblings->kind == JMODEL_NODE_NULL) return;
  if (!jmodel_is(&all, siblings, JMODEL_NODE_MAP, "it")) return;
  if (outer && outer->depth == MAX_DEPTH && siblings->first) {
    jmodel_mistake(&all, siblings->place, "instances inside of instances, more than %d deep",
                   MAX_DEPTH);
    r->ninstance = MAX_INSTANCES + 1;  // no more of them
    return;
  }
  for (const jmodel_node* c = siblings->first; c && jmodel_goes_on(r); c = c->next) {
    const char* name = outer ? jmodel_format(r, "%s.%s", outer->name, c->key) : c->key;
    jmodel_at at = {r, "instance", jmodel_keep(r, name), ""};
    if (r->ninstance > MAX_INSTANCES || r->nmade > MAX_MADE) return;  // told
    if (r->ninstance++ == MAX_INSTANCES) {
      jmodel_mistake(&at, c->key_place, "more than %d instances", MAX_INSTANCES);
      return;
    }
    if (!jmodel_is_good_name(&at, c->key, c->key_place)) continue;
    if (!jmodel_is(&at, c, JMODEL_NODE_MAP, "it")) continue;
    bool is_taken = false;
    for (const jmodel_node* s = scope->first; s && !is_taken; s = s->next) {
      bool counts = s != siblings && is_section(s->key) && strcmp(s->key, "initial") != 0;
      const jmodel_node* before = counts ? jmodel_node_find(s, c->key) : NULL;
      is_taken = before != NULL;
      if (!is_taken) continue;
      jmodel_mistake(&at, c->key_place, "the name is taken by something under '%s' (line %d)",
                     s->key, before->key_place.line);
    }
    if (!is_taken) expand(&at, root, siblings, c, outer);
  }
}

static void check_templates(jmodel_reader* r, const jmodel_node* root) {
  const jmodel_node* all = jmodel_section(r, root, "templates");
  for (const jmodel_node* c = all ? all->first : NULL; c; c = c->next) {
    jmodel_at at = {r, "template", c->key, ""};
    jmodel_is_good_name(&at, c->key, c->key_place);
    if (jmodel_is(&at, c, JMODEL_NODE_MAP, "it")) check_keys(&at, c, template_keys);
  }
}

void jmodel_expand(jmodel_reader* r, jmodel_node* root) {
  r->root = root;
  check_templates(r, root);
  if (jmodel_goes_on(r)) expand_all(r, root, jmodel_node_find(root, "instances"), root, NULL);
}

void jmodel_check_ports(jmodel_reader* r) {
  for (const jmodel_instance* in = r->instance; in; in = in->next) {
    const jmodel_instance* first = r->instance;
    while (strcmp(first->template, in->template) != 0) {
      first = first->next;
    }
    for (int i = 0; first == in && i < in->nport; i++) {
      jmodel_at at = {r, "template", in->template, ""};
      if (!in->port[i].is_used) {
        jmodel_warning(&at, in->port[i].place, "port '%s' is not used", in->port[i].name);
      }
    }
  }
}
