// SPDX-License-Identifier: Apache-2.0
// Where oil has a pressure: volumes, accumulators, given pressures and junctions, and what flows between them.
#ifndef JELEMENT_PORT_H
#define JELEMENT_PORT_H

#include "element/hydraulic/oil.h"
#include "element/list.h"

// ---- ports: what elements may be connected to

// First in the data of a class of ports.
typedef struct jelement_port {
  int fluid;                          // element
  const struct jelement_flow* first;  // what flows there, in a list
} jelement_port;

// Signals of all ports begin with the pressure.
enum { JELEMENT_PRESSURE };

// What others feed a port (gen/force/element.h): flow into it [m^3/s of oil at pa], volume beside its own [m^3], and the
// rate of that [m^3/s].
enum { JELEMENT_INFLOW, JELEMENT_VOLUME, JELEMENT_VOLUME_RATE };

// The oil of a port: the one that is named, or the only one.
bool jelement_fluid_read(const jmodel_at* at, const jmodel_node* map, jmodel_place place,
                         int* fluid);
// A port by its name; -1 after a mistake.
bool jelement_is_junction(const jmodel_element* e);
int jelement_port_at(const jmodel_at* at, const jmodel_node* node, const char* label);
// Text of an initial value: an expression, or the path of a number.
const char* jelement_initial(const jmodel_scalar* s);
// A pressure of its own, which static equilibrium keeps unless the file says `hold: false`: any common pressure
// is in equilibrium.
void jelement_pressure_state(const jmodel_at* at, const jmodel_node* map, jmodel_element* e,
                             const jmodel_scalar* initial);

jexpr_ref jelement_pressure_at(jgen* s, const jmodel_element* of, int port);
jelement_oil_values jelement_oil_at(jgen* s, int port);
// A volume that must not be used up: not a number where it is less than zero, so that a run ends there.
jexpr_ref jelement_room(jgen* s, jexpr_ref V);
jexpr_ref jelement_fed(jgen* s, const jgen_element* e, int k);  // zero: nothing was fed

// ---- flows between two ports

// Flow from the first port to the second at the pressure drop dp, and its area where it has one (else untouched).
typedef jexpr_ref (*jelement_flow_law)(jgen* s, const jmodel_element* m, jexpr_ref dp,
                                       jexpr_ref* area);

// First in the data of a class of flows.
typedef struct jelement_flow {
  int port[2];
  const struct jelement_flow* next[2];  // of the same port
  const jmodel_element* own;
  jelement_flow_law law;  // NULL: the flow is a state
  bool has_discharge;
  jmodel_scalar discharge;
} jelement_flow;

#define JELEMENT_DISCHARGE_FIELD(type) \
  JMODEL_GIVEN_IN(type, "discharge", flow.discharge, JMODEL_POSITIVE, flow.has_discharge, "1")

// Signals of all flows begin with these.
enum { JELEMENT_DROP, JELEMENT_FLOW, JELEMENT_LOSS, JELEMENT_AREA };
#define JELEMENT_FLOW_SIGNALS "drop", "flow", "loss"
extern const char* const jelement_flow_signals[];
extern const char* const jelement_area_signals[];  // and the area
#define JELEMENT_FLOW_WHAT "a pressure or a flow"

bool jelement_flow_read(const jmodel_at* at, const jmodel_node* map, const jmodel_element* e,
                        jelement_flow_law law, jelement_flow* f);

// dp = p_0 - p_1
jexpr_ref jelement_drop(jgen* s, const jmodel_element* m, const jelement_flow* f);
// An expression of dp, and of the current where there is one.
jexpr_ref jelement_of_drop(jgen* s, const jmodel_scalar* text, const char* name, jexpr_ref dp,
                           jexpr_ref current);
// Flow through an area.
jexpr_ref jelement_area_flow(jgen* s, const jmodel_element* m, jexpr_ref area, jexpr_ref dp);
// A flow by its law: `write` of its class. A flow Q that is known: from the first port to the second, with its signals.
void jelement_flow_write(jgen* s, const jmodel_element* m, jgen_element* out);
void jelement_put_flow(jgen* s, const jmodel_element* m, const jelement_flow* f, jexpr_ref Q,
                       jexpr_ref dp, jgen_element* out);

#endif
