// SPDX-License-Identifier: Apache-2.0
// Both versions of the standard say the same things in other words: what a variable is (its causality, what it is
// the derivative of) is decided once, and the two writers spell it. Version 2 counts variables, version 3 names
// them by their value references.
#include "export/fmu_description.h"

#include <math.h>
#include <string.h>

#include "base/err.h"
#include "export/fmu_names.h"
#include "export/unit.h"
#include "jounce/methods.h"

static const char* const setting_names[JFMI_SETTINGS] = {"tolerance", "step", "method"};
static const char* const setting_texts[JFMI_SETTINGS] = {
    "tolerance of adaptive methods in co-simulation; 0: of the importer, else of the model",
    "step of fixed-step methods, first one of adaptive ones; 0: of the model",
    "integration method in co-simulation"};

// ---- variables -------------------------------------------------------------------------------------

static const jvehicle_quantity* quantity(const jvehicle_model* m, jfmi_kind kind, int i) {
  static const jvehicle_quantity time = {"time", "s", "time"};
  switch (kind) {
    case JFMI_TIME: return &time;
    case JFMI_NUMBER: return &m->number[i].quantity;
    case JFMI_STATE: return &m->state[i];
    case JFMI_INDICATOR: return &m->indicator[i];
    case JFMI_OUTPUT: return &m->output[i];
    case JFMI_OBJECTIVE: return &m->objective[i];
    default: return NULL;
  }
}

static const char* prefix_of(jfmi_kind kind) {
  switch (kind) {
    case JFMI_STATE:
    case JFMI_RATE: return "states";
    case JFMI_INDICATOR: return "indicators";
    case JFMI_OBJECTIVE: return "objectives";
    case JFMI_SETTING: return "jounce";
    default: return NULL;
  }
}

static const char* own_name(const jvehicle_model* m, jfmi_kind kind, int i) {
  if (kind == JFMI_SETTING) return setting_names[i];
  return quantity(m, kind == JFMI_RATE ? JFMI_STATE : kind, i)->name;
}

static bool needs_flat(const jvehicle_model* m) {
  for (int k = 0; k < (int)JFMI_SETTING; k++) {
    for (int i = 0; i < jfmi_count(m, (jfmi_kind)k); i++) {
      if (!jexport_fmu_can_structure(own_name(m, (jfmi_kind)k, i))) return true;
    }
  }
  return false;
}

typedef struct lister {
  const jvehicle_model* m;
  jexport_fmu_names names;
  jexport_fmu_variable* variable;
  int n;
  int *state, *derivative;
} lister;

// NULL: no memory.
static const char* unit_of(lister* l, jfmi_kind kind, int i) {
  if (kind == JFMI_SETTING) return i == JFMI_STEP ? "s" : "";
  const char* unit = quantity(l->m, kind == JFMI_RATE ? JFMI_STATE : kind, i)->unit;
  if (!unit) unit = "";
  if (kind != JFMI_RATE || !*unit) return unit;
  return jarena_printf(l->names.a, strpbrk(unit, " /*.") ? "(%s)/s" : "%s/s", unit);
}

static bool add(lister* l, jfmi_kind kind, int i) {
  const char* name =
      jexport_fmu_name(&l->names, prefix_of(kind), own_name(l->m, kind, i), kind == JFMI_RATE);
  const char* unit = unit_of(l, kind, i);
  if (!name || !unit) return false;
  l->variable[l->n++] =
      (jexport_fmu_variable){name, kind, i, jfmi_reference(l->m, kind, i), unit, -1};
  return true;
}

static bool add_all(lister* l, jfmi_kind kind) {
  for (int i = 0; i < jfmi_count(l->m, kind); i++) {
    if (!add(l, kind, i)) return false;
  }
  return true;
}

// A state that is the rate of another one is its derivative; where there is none a variable is added.
static bool add_states(lister* l) {
  const jvehicle_model* m = l->m;
  for (int i = 0; i < m->nstate; i++) {
    l->state[i] = l->n;
    l->derivative[i] = -1;
    if (!add(l, JFMI_STATE, i)) return false;
  }
  for (int i = 0; i < m->nstate; i++) {
    int position = m->state_rate_of[i];
    if (position >= 0) l->derivative[position] = l->state[i];
  }
  for (int i = 0; i < m->nstate; i++) {
    if (l->derivative[i] < 0) {
      l->derivative[i] = l->n;
      if (!add(l, JFMI_RATE, i)) return false;
    }
    l->variable[l->derivative[i]].derivative = l->state[i];
  }
  return true;
}

static bool list(lister* l) {
  return add_all(l, JFMI_TIME) && add_all(l, JFMI_NUMBER) && add_all(l, JFMI_OUTPUT) &&
         add_all(l, JFMI_OBJECTIVE) && add_states(l) && add_all(l, JFMI_INDICATOR) &&
         add_all(l, JFMI_SETTING);
}

jo_status jexport_fmu_describe(jo_context* ctx, jarena* a, const jvehicle_model* m, int version,
                               jexport_fmu_description* out) {
  int room = (int)jfmi_reference(m, JFMI_NONE, 0);
  lister l = {.m = m,
              .names = {.a = a, .is_flat = needs_flat(m)},
              .variable = JARENA_ARRAY(a, room, jexport_fmu_variable),
              .state = JARENA_ARRAY(a, m->nstate, int),
              .derivative = JARENA_ARRAY(a, m->nstate, int)};
  const char* identifier = jexport_fmu_identifier(a, m->name);
  bool has_room = identifier && l.variable && l.state && l.derivative;
  if (!has_room || !list(&l)) return jerr_memory(ctx);
  *out = (jexport_fmu_description){.model = m,
                                   .version = version,
                                   .identifier = identifier,
                                   .has_derivatives = true,
                                   .is_flat = l.names.is_flat,
                                   .nvariable = l.n,
                                   .variable = l.variable,
                                   .state = l.state,
                                   .derivative = l.derivative};
  return JO_OK;
}

// ---- text of markup --------------------------------------------------------------------------------

// What no markup may hold, or would end it, is escaped or a blank.
static void put_escaped(jtext* t, const char* s) {
  for (size_t left = strlen(s); left > 0;) {
    bool shows = false;
    size_t n = jtext_character(s, left, &shows);
    bool is_noncharacter =
        n == 3 && memcmp(s, "\xef\xbf", 2) == 0 && ((unsigned char)s[2] & 0xfe) == 0xbe;
    if (n == 0 || !shows || is_noncharacter) {
      jtext_put(t, " ");
    } else if (*s == '&' || *s == '<' || *s == '>' || *s == '"') {
      jtext_put(t, *s == '&' ? "&amp;" : *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : "&quot;");
    } else {
      jtext_write(t, s, n);
    }
    n = n > 0 ? n : 1;
    s += n;
    left -= n;
  }
}

static void put_attribute(jtext* t, const char* name, const char* value) {
  jtext_printf(t, " %s=\"", name);
  put_escaped(t, value);
  jtext_put(t, "\"");
}

static void put_number(jtext* t, const char* name, double value) {
  jtext_printf(t, " %s=\"", name);
  jtext_number(t, value);
  jtext_put(t, "\"");
}

// ---- what both versions say ------------------------------------------------------------------------

static const char* description_of(const jvehicle_model* m, const jexport_fmu_variable* v) {
  if (v->kind == JFMI_SETTING) return setting_texts[v->i];
  if (v->kind == JFMI_RATE) return "";
  const char* text = quantity(m, v->kind, v->i)->description;
  return text ? text : "";
}

static bool is_parameter(const jvehicle_model* m, const jexport_fmu_variable* v) {
  return v->kind == JFMI_SETTING || (v->kind == JFMI_NUMBER && !m->number[v->i].is_input);
}

static bool is_output(const jvehicle_model* m, const jexport_fmu_variable* v) {
  return v->kind == JFMI_OBJECTIVE || (v->kind == JFMI_OUTPUT && v->i < m->nsensor);
}

static const char* causality_of(const jvehicle_model* m, const jexport_fmu_variable* v) {
  if (v->kind == JFMI_TIME) return "independent";
  if (v->kind == JFMI_NUMBER && m->number[v->i].is_input) return "input";
  if (is_parameter(m, v)) return "parameter";
  return is_output(m, v) ? "output" : "local";
}

static const char* variability_of(const jvehicle_model* m, const jexport_fmu_variable* v) {
  if (v->kind == JFMI_SETTING) return "fixed";
  return is_parameter(m, v) ? "tunable" : "continuous";
}

// Time and inputs have none to tell.
static const char* initial_of(const jvehicle_model* m, const jexport_fmu_variable* v) {
  if (v->kind == JFMI_TIME || (v->kind == JFMI_NUMBER && m->number[v->i].is_input)) return NULL;
  return is_parameter(m, v) ? "exact" : "calculated";
}

static bool is_method(const jexport_fmu_variable* v) {
  return v->kind == JFMI_SETTING && v->i == JFMI_METHOD;
}

static void put_bounds(jtext* t, const jvehicle_model* m, const jexport_fmu_variable* v) {
  if (v->kind == JFMI_SETTING) jtext_put(t, " min=\"0\"");
  if (v->kind == JFMI_STATE) put_number(t, "nominal", jfmi_nominal(m, v->i));
  if (v->kind != JFMI_NUMBER) return;
  const jvehicle_number* number = &m->number[v->i];
  if (isfinite(number->min)) put_number(t, "min", number->min);
  if (isfinite(number->max)) put_number(t, "max", number->max);
}

static void put_start(jtext* t, const jvehicle_model* m, const jexport_fmu_variable* v) {
  if (v->kind == JFMI_SETTING) jtext_put(t, " start=\"0\"");
  if (v->kind == JFMI_NUMBER) put_number(t, "start", m->number[v->i].value);
}

static void put_unit(jtext* t, const char* name) {
  jexport_unit u;
  jtext_put(t, "    <Unit");
  put_attribute(t, "name", name);
  if (!jexport_unit_parse(name, &u)) {
    jtext_put(t, "/>\n");
    return;
  }
  jtext_put(t, "><BaseUnit");
  for (int i = 0; i < JEXPORT_BASE_UNITS; i++) {
    if (u.power[i] == 0) continue;
    jtext_printf(t, " %s=\"%d\"", jexport_base_unit_name((jexport_base_unit)i), u.power[i]);
  }
  if (u.factor != 1.0) put_number(t, "factor", u.factor);
  jtext_put(t, "/></Unit>\n");
}

static bool is_first_of_unit(const jexport_fmu_description* d, int at) {
  const char* unit = d->variable[at].unit;
  if (!*unit) return false;
  for (int i = 0; i < at; i++) {
    if (strcmp(d->variable[i].unit, unit) == 0) return false;
  }
  return true;
}

static void put_units(const jexport_fmu_description* d, jtext* t) {
  jtext_put(t, "  <UnitDefinitions>\n");
  for (int i = 0; i < d->nvariable; i++) {
    if (is_first_of_unit(d, i)) put_unit(t, d->variable[i].unit);
  }
  jtext_put(t, "  </UnitDefinitions>\n");
}

// Methods that are part of exports, and what the model itself says.
static void put_methods(const jexport_fmu_description* d, jtext* t) {
  static const struct {
    int number;
    bool is_own;
    const char *name, *text;
  } method[] = {
#define OWN                                               true
#define CVODE                                             false
#define X(id, number, name, order, steps, kind, by, text) {number, by, name, text},
      JO_METHOD_LIST(X)
#undef X
#undef OWN
#undef CVODE
  };
  bool is_old = d->version == 2;
  jtext_put(t, "  <TypeDefinitions>\n");
  jtext_put(t, is_old ? "    <SimpleType name=\"jounce.Method\"><Enumeration>\n"
                      : "    <EnumerationType name=\"jounce.Method\">\n");
  jtext_put(t, "      <Item name=\"model\" value=\"0\" description=\"that of the model\"/>\n");
  for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
    if (!method[i].is_own) continue;
    jtext_printf(t, "      <Item name=\"%s\" value=\"%d\"", method[i].name, method[i].number + 1);
    put_attribute(t, "description", method[i].text);
    jtext_put(t, "/>\n");
  }
  jtext_put(t, is_old ? "    </Enumeration></SimpleType>\n" : "    </EnumerationType>\n");
  jtext_put(t, "  </TypeDefinitions>\n");
}

static void put_categories(jtext* t) {
  static const char* const category[][2] = {
      {"logEvents", "events of the model"},
      {"logStatusWarning", "why a function returned a warning"},
      {"logStatusDiscard", "why a function did nothing"},
      {"logStatusError", "why a function failed"},
      {"logStatusFatal", "why the instance is lost"}};
  jtext_put(t, "  <LogCategories>\n");
  for (size_t i = 0; i < sizeof category / sizeof *category; i++) {
    jtext_printf(t, "    <Category name=\"%s\" description=\"%s\"/>\n", category[i][0],
                 category[i][1]);
  }
  jtext_put(t, "  </LogCategories>\n");
}

static void put_experiment(const jexport_fmu_description* d, jtext* t) {
  jtext_put(t, "  <DefaultExperiment");
  put_number(t, "startTime", d->model->t_start);
  put_number(t, "stopTime", d->model->t_end);
  // importers that take it as it is then run the model as it wants to be
  const jsolve_options* o = &d->model->options;
  if (o->rel_tol > 0.0 && o->rel_tol == o->abs_tol) put_number(t, "tolerance", o->rel_tol);
  jtext_put(t, "/>\n");
}

static void put_head(const jexport_fmu_description* d, jtext* t) {
  const jvehicle_model* m = d->model;
  jtext_put(t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription");
  jtext_printf(t, " fmiVersion=\"%d.0\"", d->version);
  put_attribute(t, "modelName", *m->name ? m->name : "model");
  put_attribute(t, d->version == 2 ? "guid" : "instantiationToken", m->token);
  if (m->description && *m->description) put_attribute(t, "description", m->description);
  put_attribute(t, "generationTool", "Jounce " JO_VERSION_STRING);
  put_attribute(t, "variableNamingConvention", d->is_flat ? "flat" : "structured");
  if (d->version == 2) jtext_printf(t, " numberOfEventIndicators=\"%d\"", m->nindicator);
  jtext_put(t, ">\n");
}

static const char* truth(bool value) {
  return value ? "true" : "false";
}

// ---- version 3 -------------------------------------------------------------------------------------

static void put_interfaces3(const jexport_fmu_description* d, jtext* t) {
  for (int is_step = 0; is_step < 2; is_step++) {
    jtext_printf(t,
                 "  <%s modelIdentifier=\"%s\" canGetAndSetFMUState=\"true\" "
                 "canSerializeFMUState=\"true\" providesDirectionalDerivatives=\"%s\" "
                 "providesAdjointDerivatives=\"%s\"",
                 is_step ? "CoSimulation" : "ModelExchange", d->identifier,
                 truth(d->has_derivatives), truth(d->has_derivatives));
    if (is_step) {
      jtext_printf(t, " maxOutputDerivativeOrder=\"%d\"", d->has_derivatives ? 1 : 0);
      jtext_put(t,
                " canHandleVariableCommunicationStepSize=\"true\" "
                "providesIntermediateUpdate=\"true\" mightReturnEarlyFromDoStep=\"true\" "
                "canReturnEarlyAfterIntermediateUpdate=\"true\" hasEventMode=\"true\"");
    }
    jtext_put(t, is_step ? "/>\n" : " needsCompletedIntegratorStep=\"false\"/>\n");
  }
}

static void put_variable3(const jexport_fmu_description* d, const jexport_fmu_variable* v,
                          jtext* t) {
  const jvehicle_model* m = d->model;
  const char *initial = initial_of(m, v), *text = description_of(m, v);
  jtext_put(t, is_method(v) ? "    <Enumeration" : "    <Float64");
  put_attribute(t, "name", v->name);
  jtext_printf(t, " valueReference=\"%u\" causality=\"%s\" variability=\"%s\"", v->reference,
               causality_of(m, v), variability_of(m, v));
  if (initial) put_attribute(t, "initial", initial);
  if (is_method(v)) jtext_put(t, " declaredType=\"jounce.Method\"");
  if (v->kind == JFMI_OUTPUT || v->kind == JFMI_OBJECTIVE) {
    jtext_put(t, " intermediateUpdate=\"true\"");
  }
  if (*v->unit) put_attribute(t, "unit", v->unit);
  if (!is_method(v)) put_bounds(t, m, v);
  if (v->kind == JFMI_STATE) jtext_printf(t, " reinit=\"%s\"", truth(m->nindicator > 0));
  if (v->derivative >= 0) {
    jtext_printf(t, " derivative=\"%u\"", d->variable[v->derivative].reference);
  }
  put_start(t, m, v);
  if (*text) put_attribute(t, "description", text);
  jtext_put(t, "/>\n");
}

static void put_element3(jtext* t, const char* element, unsigned reference) {
  jtext_printf(t, "    <%s valueReference=\"%u\"/>\n", element, reference);
}

// Unknowns of the initialization: outputs, states, and derivatives that are no states.
static bool is_initial_unknown(const jvehicle_model* m, const jexport_fmu_variable* v) {
  return is_output(m, v) || v->kind == JFMI_STATE || v->kind == JFMI_RATE;
}

static void put_structure3(const jexport_fmu_description* d, jtext* t) {
  const jvehicle_model* m = d->model;
  jtext_put(t, "  <ModelStructure>\n");
  for (int i = 0; i < d->nvariable; i++) {
    if (is_output(m, &d->variable[i])) put_element3(t, "Output", d->variable[i].reference);
  }
  for (int i = 0; i < m->nstate; i++) {
    put_element3(t, "ContinuousStateDerivative", d->variable[d->derivative[i]].reference);
  }
  for (int i = 0; i < d->nvariable; i++) {
    const jexport_fmu_variable* v = &d->variable[i];
    if (is_initial_unknown(m, v)) put_element3(t, "InitialUnknown", v->reference);
  }
  for (int i = 0; i < m->nindicator; i++) {
    put_element3(t, "EventIndicator", jfmi_reference(m, JFMI_INDICATOR, i));
  }
  jtext_put(t, "  </ModelStructure>\n");
}

// ---- version 2 -------------------------------------------------------------------------------------

static void put_interfaces2(const jexport_fmu_description* d, jtext* t) {
  for (int is_step = 0; is_step < 2; is_step++) {
    const char* name = is_step ? "CoSimulation" : "ModelExchange";
    jtext_printf(t,
                 "  <%s modelIdentifier=\"%s\" canNotUseMemoryManagementFunctions=\"true\" "
                 "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" "
                 "providesDirectionalDerivative=\"%s\"",
                 name, d->identifier, truth(d->has_derivatives));
    if (is_step) {
      jtext_printf(t,
                   " canHandleVariableCommunicationStepSize=\"true\" "
                   "canInterpolateInputs=\"false\" maxOutputDerivativeOrder=\"%d\"",
                   d->has_derivatives ? 1 : 0);
    } else {
      jtext_put(t, " completedIntegratorStepNotNeeded=\"true\"");
    }
    jtext_put(t, ">\n    <SourceFiles>\n");
    for (int i = 0; i < d->nsource; i++) {
      jtext_put(t, "      <File");
      put_attribute(t, "name", d->source[i]);
      jtext_put(t, "/>\n");
    }
    jtext_printf(t, "    </SourceFiles>\n  </%s>\n", name);
  }
}

static void put_type2(const jexport_fmu_description* d, const jexport_fmu_variable* v, jtext* t) {
  const jvehicle_model* m = d->model;
  if (is_method(v)) {
    jtext_put(t, "<Enumeration declaredType=\"jounce.Method\" start=\"0\"/>");
    return;
  }
  jtext_put(t, "<Real");
  if (*v->unit) put_attribute(t, "unit", v->unit);
  put_bounds(t, m, v);
  put_start(t, m, v);
  if (v->derivative >= 0) jtext_printf(t, " derivative=\"%d\"", v->derivative + 1);
  if (v->kind == JFMI_STATE) jtext_printf(t, " reinit=\"%s\"", truth(m->nindicator > 0));
  jtext_put(t, "/>");
}

static void put_variable2(const jexport_fmu_description* d, const jexport_fmu_variable* v,
                          jtext* t) {
  const jvehicle_model* m = d->model;
  const char *initial = initial_of(m, v), *text = description_of(m, v);
  jtext_put(t, "    <ScalarVariable");
  put_attribute(t, "name", v->name);
  jtext_printf(t, " valueReference=\"%u\"", v->reference);
  if (*text) put_attribute(t, "description", text);
  jtext_printf(t, " causality=\"%s\" variability=\"%s\"", causality_of(m, v), variability_of(m, v));
  if (initial) put_attribute(t, "initial", initial);
  jtext_put(t, ">");
  put_type2(d, v, t);
  jtext_put(t, "</ScalarVariable>\n");
}

static void put_unknown2(jtext* t, int variable) {
  jtext_printf(t, "      <Unknown index=\"%d\"/>\n", variable + 1);
}

// A list of the structure, left out where it has no element. `is_in` decides by variable.
static void put_list2(const jexport_fmu_description* d, const char* name,
                      bool (*is_in)(const jvehicle_model* m, const jexport_fmu_variable* v),
                      jtext* t) {
  int n = 0;
  for (int i = 0; i < d->nvariable; i++)
    n += is_in(d->model, &d->variable[i]) ? 1 : 0;
  if (n == 0) return;
  jtext_printf(t, "    <%s>\n", name);
  for (int i = 0; i < d->nvariable; i++) {
    if (is_in(d->model, &d->variable[i])) put_unknown2(t, i);
  }
  jtext_printf(t, "    </%s>\n", name);
}

static void put_structure2(const jexport_fmu_description* d, jtext* t) {
  jtext_put(t, "  <ModelStructure>\n");
  put_list2(d, "Outputs", is_output, t);
  if (d->model->nstate > 0) jtext_put(t, "    <Derivatives>\n");
  for (int i = 0; i < d->model->nstate; i++)
    put_unknown2(t, d->derivative[i]);
  if (d->model->nstate > 0) jtext_put(t, "    </Derivatives>\n");
  put_list2(d, "InitialUnknowns", is_initial_unknown, t);
  jtext_put(t, "  </ModelStructure>\n");
}

// ---- files -----------------------------------------------------------------------------------------

void jexport_fmu_write_model(const jexport_fmu_description* d, jtext* t) {
  bool is_old = d->version == 2;
  put_head(d, t);
  if (is_old) put_interfaces2(d, t);
  if (!is_old) put_interfaces3(d, t);
  put_units(d, t);
  put_methods(d, t);
  put_categories(t);
  put_experiment(d, t);
  jtext_put(t, "  <ModelVariables>\n");
  for (int i = 0; i < d->nvariable; i++) {
    if (is_old) put_variable2(d, &d->variable[i], t);
    if (!is_old) put_variable3(d, &d->variable[i], t);
  }
  jtext_put(t, "  </ModelVariables>\n");
  if (is_old) put_structure2(d, t);
  if (!is_old) put_structure3(d, t);
  jtext_put(t, "</fmiModelDescription>\n");
}

void jexport_fmu_write_build(const jexport_fmu_description* d, jtext* t) {
  jtext_printf(t,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription "
               "fmiVersion=\"3.0\">\n  <BuildConfiguration modelIdentifier=\"%s\">\n"
               "    <SourceFileSet language=\"C17\" compilerOptions=\"-ffp-contract=off\">\n",
               d->identifier);
  for (int i = 0; i < d->nsource; i++) {
    jtext_put(t, "      <SourceFile");
    put_attribute(t, "name", d->source[i]);
    jtext_put(t, "/>\n");
  }
  jtext_put(t,
            "      <PreprocessorDefinition name=\"_XOPEN_SOURCE\" value=\"700\"/>\n"
            "      <IncludeDirectory name=\".\"/>\n    </SourceFileSet>\n"
            "    <Library name=\"m\" external=\"true\"/>\n"
            "  </BuildConfiguration>\n</fmiBuildDescription>\n");
}

static void put_cell(jtext* t, const char* text) {
  jtext_put(t, "<td>");
  put_escaped(t, text);
  jtext_put(t, "</td>");
}

static void put_row(const jexport_fmu_description* d, const jexport_fmu_variable* v, jtext* t) {
  const jvehicle_model* m = d->model;
  jtext_put(t, "<tr>");
  put_cell(t, v->name);
  if (v->kind == JFMI_NUMBER) jtext_printf(t, "<td>%.9g</td>", m->number[v->i].value);
  if (v->kind == JFMI_SETTING) jtext_put(t, "<td>0</td>");
  put_cell(t, v->unit);
  put_cell(t, description_of(m, v));
  jtext_put(t, "</tr>\n");
}

// Variables of a causality, if there are any. Outputs have no value to tell.
static void put_table(const jexport_fmu_description* d, const char* title, const char* causality,
                      jtext* t) {
  bool has_values = strcmp(causality, "output") != 0;
  int n = 0;
  for (int i = 0; i < d->nvariable; i++) {
    const jexport_fmu_variable* v = &d->variable[i];
    if (strcmp(causality_of(d->model, v), causality) != 0) continue;
    if (n++ == 0) {
      jtext_printf(t, "<h2>%s</h2>\n<table>\n<tr><th>name</th>%s", title,
                   has_values ? "<th>value</th>" : "");
      jtext_put(t, "<th>unit</th><th>description</th></tr>\n");
    }
    put_row(d, v, t);
  }
  if (n > 0) jtext_put(t, "</table>\n");
}

static const char page_head[] =
    "</title>\n<style>body{font-family:sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "td,th{text-align:left;padding:.2em 1em .2em 0;vertical-align:top}"
    "td:not(:last-child){white-space:nowrap}</style></head>\n<body>\n<h1>";

static void put_summary(const jexport_fmu_description* d, jtext* t) {
  const jvehicle_model* m = d->model;
  jtext_printf(t,
               "</p>\n<p>FMI %d.0, model exchange and co-simulation, written by Jounce %s. %d "
               "continuous states, %d event indicators; the manoeuvre of the model is from %g s to "
               "%g s.</p>\n",
               d->version, JO_VERSION_STRING, m->nstate, m->nindicator, m->t_start, m->t_end);
  jtext_put(t,
            "<p>Parameters may be changed before the start, where everything that follows from "
            "them is found anew, and at events or communication points. Objectives are as if the "
            "run ended now.");
  if (d->has_derivatives) {
    jtext_put(t,
              " Derivatives of state derivatives, outputs, objectives and event indicators by "
              "states, inputs, parameters and time are exact.");
  }
  jtext_put(t,
            " The source code is in <code>sources</code>; it needs a C17 compiler and libm.</p>\n");
}

void jexport_fmu_write_page(const jexport_fmu_description* d, jtext* t) {
  const jvehicle_model* m = d->model;
  jtext_put(t, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
  put_escaped(t, m->name);
  jtext_put(t, page_head);
  put_escaped(t, m->name);
  jtext_put(t, "</h1>\n<p>");
  put_escaped(t, m->description ? m->description : "");
  put_summary(d, t);
  put_table(d, "Parameters", "parameter", t);
  put_table(d, "Inputs", "input", t);
  put_table(d, "Outputs", "output", t);
  jtext_put(t, "</body></html>\n");
}
