// SPDX-License-Identifier: Apache-2.0
// What values of many keys are.
#include "model/read/keys.h"

#include <stddef.h>

const jmodel_key jmodel_form_number = {
    JMODEL_KEY_NUMBER("number"),
    .about = "A number, perhaps with a unit as '25 N/mm', or an expression"};
const jmodel_key jmodel_form_text = {.is = JMODEL_A_TEXT};
const jmodel_key jmodel_form_name = {.name = "name", .is = JMODEL_A_NAME};
const jmodel_key jmodel_form_vector = {JMODEL_KEY_LIST("vector", jmodel_form_number, 3, 3),
                                       .about = "Three numbers"};

const jmodel_key jmodel_value_keys[] = {
    {JMODEL_KEY_NUMBER("value")}, {JMODEL_KEY_UNIT}, {JMODEL_KEY_DESCRIPTION}, {0}};
const jmodel_key jmodel_form_value = {
    .name = "value", .is = JMODEL_A_NUMBER | JMODEL_A_MAP, .keys = jmodel_value_keys};

// ---- references

const jmodel_key jmodel_form_body = {JMODEL_KEY_TEXT("body"), .about = "A body, or ground"};
const jmodel_key jmodel_form_coordinate = {
    JMODEL_KEY_TEXT("coordinate"),
    .about = "A coordinate: the joint that has one, else joint.suffix"};
const jmodel_key jmodel_form_table = {JMODEL_KEY_TEXT("table"), .about = "A table of one variable"};
const jmodel_key jmodel_form_body_point = {JMODEL_KEY_TEXT("body_point"), .about = "body.point"};
const jmodel_key jmodel_form_point = {
    .name = "point",
    .is = JMODEL_A_TEXT,
    .as = &jmodel_form_vector,
    .about = "body.point, a hardpoint, or [x, y, z] in vehicle coordinates"};

const jmodel_key jmodel_between_keys[] = {
    {JMODEL_KEY_AS("from", jmodel_form_point), .is_needed = true},
    {JMODEL_KEY_AS("to", jmodel_form_point), .is_needed = true},
    {0}};
const jmodel_key jmodel_form_direction = {
    .name = "direction",
    .is = JMODEL_A_TEXT | JMODEL_A_MAP,
    .keys = jmodel_between_keys,
    .as = &jmodel_form_vector,
    .about =
        "x, y, z, [x, y, z], body.vector, any of these names with '-' before it, or {from: "
        "point, to: point}"};

// ---- axes of a frame

static const char* const axis_words[] = {"x", "y", "z", "-x", "-y", "-z", NULL};
const jmodel_key jmodel_form_axis = {
    .name = "axis", .is = JMODEL_A_WORD, .words = axis_words, .as = &jmodel_form_vector};
const jmodel_key jmodel_axes_keys[] = {JMODEL_AXES_KEYS, {0}};
