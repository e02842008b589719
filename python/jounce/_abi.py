# SPDX-License-Identifier: Apache-2.0
"""The C interface of Jounce for ctypes. Written by tools/python_abi.py from include/jounce/*.h."""
from ctypes import (CFUNCTYPE, POINTER, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint,
                    c_uint64, c_void_p)
from enum import IntEnum

from ._checked import Structure

JO_VERSION_MAJOR = 0
JO_VERSION_MINOR = 1
JO_VERSION_PATCH = 0
JO_VERSION_STRING = "0.1.0"
JO_SENS_MAX_BOTH = 64
JO_DOUBT_LATER = 1
JO_DOUBT_CONSECUTIVE = 2
JO_DOUBT_COUPLING = 4
JO_ROAD_BANDS = 16
JO_TYRE_INPUTS = 6


class jo_status(IntEnum):
    JO_EVENT = 1
    JO_OK = 0
    JO_ERR_MEMORY = -1
    JO_ERR_ARGUMENT = -2
    JO_ERR_MODEL = -3
    JO_ERR_SINGULAR = -4
    JO_ERR_SYNTAX = -5
    JO_ERR_FILE = -6
    JO_ERR_COMPILER = -7
    JO_ERR_CONVERGENCE = -8
    JO_ERR_NUMERIC = -9
    JO_ERR_LIMIT = -10


class jo_severity(IntEnum):
    JO_NOTICE = 0
    JO_WARNING = 1
    JO_ERROR = 2


class jo_caller(IntEnum):
    JO_CALLER_C = 0
    JO_CALLER_PYTHON = 1
    JO_CALLER_COMMAND_LINE = 2


class jo_method(IntEnum):
    JO_METHOD_OF_MODEL = -1
    JO_METHOD_AUTO = 7
    JO_METHOD_DOPRI5 = 3
    JO_METHOD_ESDIRK5 = 6
    JO_METHOD_RK2 = 0
    JO_METHOD_RK3 = 1
    JO_METHOD_RK4 = 2
    JO_METHOD_IMEX4 = 8
    JO_METHOD_IMEX3 = 9
    JO_METHOD_ADAMS = 4
    JO_METHOD_BDF = 5


class jo_use(IntEnum):
    JO_USE_RUNS = 1
    JO_USE_DERIVATIVES = 2
    JO_USE_HISTORIES = 4
    JO_USE_CHECKS = 8
    JO_USE_LOADS = 16
    JO_USE_CONTRIBUTIONS = 32


class jo_sens_method(IntEnum):
    JO_SENS_AUTO = 0
    JO_SENS_DIRECT = 1
    JO_SENS_ADJOINT = 2


class jo_role(IntEnum):
    JO_INDEPENDENT = 0
    JO_DEPENDENT = 1
    JO_DRIVEN = 2


class jo_influence(IntEnum):
    JO_MATTERS = 0
    JO_ZERO_VALUE = 1
    JO_IDLE = 2
    JO_NONE = 3


class jo_verdict(IntEnum):
    JO_AGREES = 0
    JO_UNDECIDED = 1
    JO_DISAGREES = 2


class jo_batch_device(IntEnum):
    JO_BATCH_CPU = 0
    JO_BATCH_CUDA = 1
    JO_BATCH_AUTO = 2


class jo_import_kind(IntEnum):
    JO_IMPORT_LOST = 0
    JO_IMPORT_TO_FILL = 1
    JO_IMPORT_CHANGED = 2


class jo_kinematics_motion(IntEnum):
    JO_BUMP = 0
    JO_ROLL = 1
    JO_STEER = 2
    JO_LATERAL = 3
    JO_BRAKING = 4
    JO_TRACTION = 5
    JO_ALIGNING = 6


class jo_side(IntEnum):
    JO_LEFT = 0
    JO_RIGHT = 1


class jo_loads_driver(IntEnum):
    JO_LOADS_FIXED = 0
    JO_LOADS_ADAPTIVE = 1
    JO_LOADS_IMPULSIVE = 2
    JO_LOADS_SUBCYCLE = 3
    JO_LOADS_CONVERGED = 4


class jo_counting(IntEnum):
    JO_RAINFLOW = 0
    JO_RANGE_PAIR = 1


class jo_law(IntEnum):
    JO_LAW_UNIFORM = 0
    JO_LAW_NORMAL = 1
    JO_LAW_LOGNORMAL = 2


class jo_sampling(IntEnum):
    JO_SAMPLING_HALTON = 0
    JO_SAMPLING_SOBOL = 1
    JO_SAMPLING_LHS = 2
    JO_SAMPLING_RANDOM = 3


class jo_tyre_combined(IntEnum):
    JO_TYRE_AS_FILE = 0
    JO_TYRE_FORMULA = 1
    JO_TYRE_ELLIPSE = 2


STATUS_TEXT = {
    1: "stopped at an event",
    0: "no error",
    -1: "out of memory",
    -2: "argument is not valid",
    -3: "model is not valid",
    -4: "matrix is singular to working precision",
    -5: "text cannot be read",
    -6: "file cannot be read or written",
    -7: "generated code cannot be compiled or loaded",
    -8: "iteration does not converge",
    -9: "a computed value is not finite",
    -10: "a size or a step count exceeds its limit",
}


class jo_allocator(Structure):
    _fields_ = [
        ("resize", CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_size_t)),
        ("release", CFUNCTYPE(None, c_void_p, c_void_p)),
        ("user", c_void_p),
    ]


class jo_setting(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("value", c_char_p),
    ]


class jo_parameter(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("unit", c_char_p),
        ("description", c_char_p),
        ("value", c_double),
        ("is_computed", c_int),
    ]


class jo_body(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("mass", c_double),
    ]


class jo_joint(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("type", c_char_p),
        ("parent", c_char_p),
        ("child", c_char_p),
        ("ncoordinate", c_int),
    ]


class jo_closure(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("type", c_char_p),
        ("a", c_char_p),
        ("b", c_char_p),
        ("nequation", c_int),
    ]


class jo_coupling(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("type", c_char_p),
        ("coordinates", c_char_p),
        ("nequation", c_int),
    ]


class jo_model_info(Structure):
    _fields_ = [
        ("parameters", c_int),
        ("bodies", c_int),
        ("joints", c_int),
        ("coordinates", c_int),
        ("closures", c_int),
        ("forces", c_int),
        ("tyres", c_int),
        ("states", c_int),
        ("sensors", c_int),
        ("objectives", c_int),
    ]


class jo_system_options(Structure):
    _fields_ = [
        ("use", c_uint),
        ("wrt", POINTER(c_char_p)),
        ("nwrt", c_int),
        ("method", c_int),
        ("variable", POINTER(c_char_p)),
        ("nvariable", c_int),
        ("interpreter", c_int),
        ("objective", POINTER(c_char_p)),
        ("nobjective", c_int),
        ("compiler", c_int),
    ]


class jo_system_info(Structure):
    _fields_ = [
        ("dof", c_int),
        ("coordinates", c_int),
        ("independent", c_int),
        ("dependent", c_int),
        ("driven", c_int),
        ("closure_equations", c_int),
        ("redundant", c_int),
        ("states", c_int),
        ("switches", c_int),
        ("equations_generated", c_int),
        ("equations_kept", c_int),
        ("closure_residual", c_double),
        ("is_compiled", c_int),
        ("packed_2", c_int),
        ("packed_4", c_int),
        ("packed_8", c_int),
    ]


class jo_operations(Structure):
    _fields_ = [
        ("add", c_int),
        ("subtract", c_int),
        ("multiply", c_int),
        ("divide", c_int),
        ("root", c_int),
        ("trigonometric", c_int),
        ("function", c_int),
        ("logic", c_int),
        ("lookup", c_int),
        ("total", c_int),
    ]


class jo_coordinate(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("joint", c_char_p),
        ("unit", c_char_p),
        ("role", c_int),
        ("value", c_double),
        ("rate", c_double),
    ]


class jo_column(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("unit", c_char_p),
        ("description", c_char_p),
        ("value", POINTER(c_double)),
        ("text", POINTER(c_char_p)),
        ("stride", c_int),
    ]


class jo_note(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("unit", c_char_p),
        ("text", c_char_p),
        ("value", c_double),
    ]


class jo_table(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("title", c_char_p),
        ("column", POINTER(jo_column)),
        ("ncolumn", c_int),
        ("nrow", c_int),
        ("note", POINTER(jo_note)),
        ("nnote", c_int),
        ("style", c_void_p),
    ]


class jo_tables(Structure):
    _fields_ = [
        ("table", POINTER(jo_table)),
        ("ntable", c_int),
    ]


class jo_simulate_options(Structure):
    _fields_ = [
        ("t_end_s", c_double),
        ("method", c_int),
        ("tolerance", c_double),
        ("step_s", c_double),
        ("output_step_s", c_double),
        ("max_step_s", c_double),
        ("max_events", c_int),
        ("progress", CFUNCTYPE(c_int, c_void_p, c_double)),
        ("user", c_void_p),
    ]


class jo_statistics(Structure):
    _fields_ = [
        ("steps", c_int64),
        ("rejected", c_int64),
        ("evaluations", c_int64),
        ("projections", c_int64),
        ("is_complete", c_int),
        ("t_start", c_double),
        ("t_end", c_double),
        ("t_reached", c_double),
        ("closure_residual", c_double),
        ("cpu_s", c_double),
        ("real_time_factor", c_double),
        ("method", c_char_p),
        ("is_fixed_step", c_int),
        ("rel_tol", c_double),
        ("abs_tol", c_double),
        ("step", c_double),
        ("output_step", c_double),
    ]


class jo_quantity(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("unit", c_char_p),
        ("description", c_char_p),
        ("value", c_double),
    ]


class jo_static_info(Structure):
    _fields_ = [
        ("dof", c_int),
        ("held", c_int),
        ("iterations", c_int),
        ("residual", c_double),
        ("is_unstable", c_int),
        ("growth", c_double),
        ("turning", c_double),
        ("state", c_char_p),
        ("undecided", c_char_p),
    ]


class jo_modes_options(Structure):
    _fields_ = [
        ("at_static", c_int),
        ("at_s", c_double),
        ("name", POINTER(c_char_p)),
        ("nname", c_int),
    ]


class jo_generated(Structure):
    _fields_ = [
        ("files", c_int),
        ("operations", c_int),
    ]


class jo_sens_parameter(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("unit", c_char_p),
        ("description", c_char_p),
        ("value", c_double),
    ]


class jo_sens_options(Structure):
    _fields_ = [
        ("method", c_int),
        ("frozen", c_int),
        ("contributions", c_int),
        ("integrator", c_int),
        ("tolerance", c_double),
        ("step_s", c_double),
        ("derivative_tol", c_double),
        ("quick", c_int),
        ("history", POINTER(c_char_p)),
        ("nhistory", c_int),
        ("history_step_s", c_double),
        ("progress", CFUNCTYPE(c_int, c_void_p, c_double)),
        ("user", c_void_p),
    ]


class jo_sens_statistics(Structure):
    _fields_ = [
        ("method", c_int),
        ("is_frozen", c_int),
        ("integrator", c_char_p),
        ("is_fixed_step", c_int),
        ("rel_tol", c_double),
        ("step", c_double),
        ("steps", c_int64),
        ("rejected", c_int64),
        ("evaluations", c_int64),
        ("derivative_evaluations", c_int64),
        ("derivative_tol", c_double),
        ("is_within", c_int),
        ("passes", c_int),
        ("implicit_steps", c_int64),
        ("cpu_dynamics", c_double),
        ("cpu_sensitivity", c_double),
        ("cpu_contributions", c_double),
        ("checkpoint_steps", c_int64),
        ("memory_mb", c_double),
        ("cpu_errors", c_double),
        ("cpu_total", c_double),
    ]


class jo_sens_event(Structure):
    _fields_ = [
        ("t", c_double),
        ("name", c_char_p),
        ("on", c_int),
        ("follows", c_int),
        ("rate", c_double),
    ]


class jo_sens_row(Structure):
    _fields_ = [
        ("parameter", c_int),
        ("influence", c_int),
        ("value", c_double),
        ("derivative", c_double),
        ("percent", c_double),
        ("size", c_double),
        ("change", c_double),
    ]


class jo_sens_check_row(Structure):
    _fields_ = [
        ("direct", c_double),
        ("adjoint", c_double),
        ("direct_error", c_double),
        ("adjoint_error", c_double),
        ("difference", c_double),
        ("difference_error", c_double),
        ("increment", c_double),
    ]


class jo_sens_agreement(Structure):
    _fields_ = [
        ("methods", c_double),
        ("differences", c_double),
        ("verdict", c_int),
    ]


class jo_sens_vcurve_point(Structure):
    _fields_ = [
        ("relative", c_double),
        ("forward", c_double),
        ("central", c_double),
        ("forward_error", c_double),
        ("central_error", c_double),
    ]


class jo_batch_options(Structure):
    _fields_ = [
        ("parameter", POINTER(c_char_p)),
        ("nparameter", c_int),
        ("method", c_int),
        ("t_end_s", c_double),
        ("tolerance", c_double),
        ("step_s", c_double),
        ("gradient", c_int),
        ("gradient_method", c_int),
        ("outputs", c_int),
        ("history", POINTER(c_char_p)),
        ("nhistory", c_int),
        ("history_step_s", c_double),
        ("road", POINTER(c_void_p)),
        ("nroad", c_int),
        ("lanes", c_int),
        ("workers", c_int),
        ("device", c_int),
        ("fused", c_int),
        ("single", c_int),
        ("progress", CFUNCTYPE(c_int, c_void_p, c_int)),
        ("user", c_void_p),
    ]


class jo_batch_info(Structure):
    _fields_ = [
        ("points", c_int),
        ("done", c_int),
        ("failed", c_int),
        ("alone", c_int),
        ("parameters", c_int),
        ("objectives", c_int),
        ("wrt", c_int),
        ("outputs", c_int),
        ("histories", c_int),
        ("times", c_int),
        ("roads", c_int),
        ("device", c_int),
        ("lanes", c_int),
        ("why_alone", c_char_p),
        ("checked", c_int),
        ("value_error", c_double),
        ("gradient_error", c_double),
    ]


class jo_batch_point(Structure):
    _fields_ = [
        ("is_done", c_int),
        ("status", c_int),
        ("message", c_char_p),
        ("value", POINTER(c_double)),
        ("gradient", POINTER(c_double)),
        ("output", POINTER(c_double)),
        ("history", POINTER(c_double)),
        ("in_lanes", c_int),
        ("events", c_int),
        ("steps", c_int64),
    ]


class jo_fmu_options(Structure):
    _fields_ = [
        ("version", c_int),
        ("sources_only", c_int),
        ("no_derivatives", c_int),
        ("vary", POINTER(c_char_p)),
        ("nvary", c_int),
        ("compiler", c_char_p),
    ]


class jo_fmu(Structure):
    _fields_ = [
        ("files", c_int),
        ("variables", c_int),
        ("parameters", c_int),
        ("inputs", c_int),
        ("outputs", c_int),
        ("states", c_int),
        ("event_indicators", c_int),
        ("operations", c_int),
        ("bytes", c_int64),
    ]


class jo_listing_info(Structure):
    _fields_ = [
        ("functions", c_int),
        ("instructions", c_int),
        ("spills", c_int),
        ("bytes", c_int64),
    ]


class jo_imported_info(Structure):
    _fields_ = [
        ("format", c_char_p),
        ("bodies", c_int),
        ("joints", c_int),
        ("closures", c_int),
        ("remarks", c_int),
    ]


class jo_import_remark(Structure):
    _fields_ = [
        ("kind", c_int),
        ("line", c_int),
        ("text", c_char_p),
    ]


class jo_kinematics_options(Structure):
    _fields_ = [
        ("axle", c_char_p),
        ("motion", c_int),
        ("side", c_int),
        ("from_m", c_double),
        ("to_m", c_double),
        ("n", c_int),
        ("wrt", POINTER(c_char_p)),
        ("nwrt", c_int),
        ("opposed", c_bool),
        ("hold_height", c_bool),
    ]


class jo_loads_options(Structure):
    _fields_ = [
        ("driver", c_int),
        ("rate_hz", c_double),
        ("t_end_s", c_double),
        ("tolerance", c_double),
        ("restitution", c_double),
        ("realtime", c_int),
        ("slope", c_double),
        ("reference", c_double),
    ]


class jo_loads_statistics(Structure):
    _fields_ = [
        ("driver", c_char_p),
        ("rate", c_double),
        ("tolerance", c_double),
        ("is_complete", c_int),
        ("t_meaningful", c_double),
        ("t_start", c_double),
        ("t_end", c_double),
        ("t_reached", c_double),
        ("steps", c_int64),
        ("rejected", c_int64),
        ("stiff_steps", c_int64),
        ("evaluations", c_double),
        ("worst_step_evaluations", c_double),
        ("guaranteed_step_evaluations", c_double),
        ("smallest_step", c_double),
        ("t_smallest_step", c_double),
        ("cpu_s", c_double),
        ("real_time_factor", c_double),
        ("missed_deadlines", c_int64),
        ("worst_delay", c_double),
        ("element_cost", c_double),
        ("directions_cost", c_double),
    ]


class jo_loads_element(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("unit", c_char_p),
        ("peak", c_double),
        ("t_peak", c_double),
        ("smooth_peak", c_double),
        ("smallest", c_double),
        ("largest", c_double),
        ("cycles", c_double),
        ("largest_range", c_double),
        ("damage", c_double),
    ]


class jo_loads_event(Structure):
    _fields_ = [
        ("t0", c_double),
        ("t1", c_double),
        ("element", c_char_p),
        ("coordinate", c_char_p),
        ("position", c_double),
        ("speed", c_double),
        ("impulse", c_double),
        ("peak", c_double),
        ("t_peak", c_double),
        ("doubt", c_uint),
    ]


class jo_loads_plot(Structure):
    _fields_ = [
        ("title", c_char_p),
        ("element", c_char_p),
        ("t0_s", c_double),
        ("t1_s", c_double),
        ("result", POINTER(c_void_p)),
        ("label", POINTER(c_char_p)),
        ("nresult", c_int),
    ]


class jo_reconstruct_options(Structure):
    _fields_ = [
        ("window_s", c_double),
        ("surface", c_int),
    ]


class jo_reconstruction(Structure):
    _fields_ = [
        ("events", c_int),
        ("integrated", c_int),
        ("surfaces", c_int),
        ("refused", c_int),
        ("nodes", c_int),
        ("checked", c_int),
        ("mismatch", c_double),
    ]


class jo_load_event_again(Structure):
    _fields_ = [
        ("then", jo_loads_event),
        ("peak", c_double),
        ("t_peak", c_double),
        ("interpolated", c_int),
    ]


class jo_loads_sens_options(Structure):
    _fields_ = [
        ("t_end_s", c_double),
        ("tolerance", c_double),
        ("slope", c_double),
        ("reference", c_double),
    ]


class jo_loads_gradient(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("unit", c_char_p),
        ("peak", c_double),
        ("t_peak", c_double),
        ("damage", c_double),
        ("dpeak", POINTER(c_double)),
        ("ddamage", POINTER(c_double)),
        ("dpeak_error", POINTER(c_double)),
        ("ddamage_error", POINTER(c_double)),
    ]


class jo_report_options(Structure):
    _fields_ = [
        ("tolerance", c_double),
        ("no_replay", c_int),
    ]


class jo_road_band(Structure):
    _fields_ = [
        ("low", c_double),
        ("high", c_double),
        ("density", c_double),
        ("smooth", c_double),
        ("class_", c_int),
    ]


class jo_road_options(Structure):
    _fields_ = [
        ("from", c_double),
        ("to", c_double),
        ("step", c_double),
        ("left", c_double),
        ("right", c_double),
    ]


class jo_study_options(Structure):
    _fields_ = [
        ("interpreter", c_int),
        ("progress", CFUNCTYPE(c_int, c_void_p, c_double)),
        ("user", c_void_p),
        ("compiler", c_int),
    ]


class jo_study_part(Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("title", c_char_p),
        ("text", c_char_p),
        ("tables", c_int),
        ("figures", c_int),
    ]


class jo_range(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("from", c_double),
        ("to", c_double),
        ("n", c_int),
        ("law", c_int),
        ("mean", c_double),
        ("deviation", c_double),
    ]


class jo_correlation(Structure):
    _fields_ = [
        ("first", c_char_p),
        ("second", c_char_p),
        ("value", c_double),
    ]


class jo_team(Structure):
    _fields_ = [
        ("rank", c_int),
        ("size", c_int),
        ("neighbours", c_int),
        ("user", c_void_p),
        ("send", CFUNCTYPE(c_int, c_void_p, c_int, c_void_p, c_size_t)),
        ("poll", CFUNCTYPE(c_int, c_void_p, POINTER(c_int), POINTER(c_size_t))),
        ("receive", CFUNCTYPE(c_int, c_void_p, c_int, c_void_p, c_size_t)),
    ]


class jo_sweep_options(Structure):
    _fields_ = [
        ("range", POINTER(jo_range)),
        ("nrange", c_int),
        ("nsample", c_int),
        ("seed", c_uint64),
        ("method", c_int),
        ("frozen", c_int),
        ("t_end_s", c_double),
        ("tolerance", c_double),
        ("step_s", c_double),
        ("workers", c_int),
        ("journal", c_char_p),
        ("restart", c_int),
        ("progress", CFUNCTYPE(c_int, c_void_p, c_int)),
        ("user", c_void_p),
        ("sampling", c_int),
        ("correlation", POINTER(jo_correlation)),
        ("ncorrelation", c_int),
        ("indices", c_int),
        ("stream", c_int),
        ("team", POINTER(jo_team)),
        ("batch", c_int),
        ("device", c_int),
        ("fused", c_int),
        ("single", c_int),
    ]


class jo_sweep_info(Structure):
    _fields_ = [
        ("points", c_int),
        ("done", c_int),
        ("failed", c_int),
        ("resumed", c_int),
        ("parameters", c_int),
        ("objectives", c_int),
        ("wrt", c_int),
        ("is_sample", c_int),
        ("workers", c_int),
        ("method", c_int),
        ("sampling", c_int),
        ("is_single", c_int),
        ("checked", c_int),
        ("value_error", c_double),
        ("gradient_error", c_double),
        ("computed", c_int),
        ("waited_s", c_double),
    ]


class jo_sweep_point(Structure):
    _fields_ = [
        ("is_done", c_int),
        ("status", c_int),
        ("message", c_char_p),
        ("parameter", POINTER(c_double)),
        ("value", POINTER(c_double)),
        ("gradient", POINTER(c_double)),
        ("gradient_error", POINTER(c_double)),
        ("events", c_int),
        ("evaluations", c_int64),
    ]


class jo_statistic(Structure):
    _fields_ = [
        ("points", c_int),
        ("mean", c_double),
        ("mean_error", c_double),
        ("deviation", c_double),
        ("deviation_error", c_double),
        ("least", c_double),
        ("most", c_double),
        ("quantiles", c_int),
        ("share", POINTER(c_double)),
        ("quantile", POINTER(c_double)),
        ("rank_error", c_double),
        ("first", POINTER(c_double)),
        ("first_error", POINTER(c_double)),
        ("total", POINTER(c_double)),
        ("total_error", POINTER(c_double)),
        ("slope", POINTER(c_double)),
        ("slope_error", POINTER(c_double)),
        ("bound", POINTER(c_double)),
        ("bound_error", POINTER(c_double)),
    ]


class jo_tyre_info(Structure):
    _fields_ = [
        ("version", c_char_p),
        ("side", c_char_p),
        ("is_ellipse", c_int),
        ("given", c_int),
    ]


class jo_tyre_coefficient(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("unit", c_char_p),
        ("value", c_double),
        ("line", c_int),
    ]


class jo_tyre_options(Structure):
    _fields_ = [
        ("combined", c_int),
        ("vertical", c_int),
        ("wrt", POINTER(c_char_p)),
        ("nwrt", c_int),
    ]


STRUCTS = (jo_allocator,
           jo_setting,
           jo_parameter,
           jo_body,
           jo_joint,
           jo_closure,
           jo_coupling,
           jo_model_info,
           jo_system_options,
           jo_system_info,
           jo_operations,
           jo_coordinate,
           jo_column,
           jo_note,
           jo_table,
           jo_tables,
           jo_simulate_options,
           jo_statistics,
           jo_quantity,
           jo_static_info,
           jo_modes_options,
           jo_generated,
           jo_sens_parameter,
           jo_sens_options,
           jo_sens_statistics,
           jo_sens_event,
           jo_sens_row,
           jo_sens_check_row,
           jo_sens_agreement,
           jo_sens_vcurve_point,
           jo_batch_options,
           jo_batch_info,
           jo_batch_point,
           jo_fmu_options,
           jo_fmu,
           jo_listing_info,
           jo_imported_info,
           jo_import_remark,
           jo_kinematics_options,
           jo_loads_options,
           jo_loads_statistics,
           jo_loads_element,
           jo_loads_event,
           jo_loads_plot,
           jo_reconstruct_options,
           jo_reconstruction,
           jo_load_event_again,
           jo_loads_sens_options,
           jo_loads_gradient,
           jo_report_options,
           jo_road_band,
           jo_road_options,
           jo_study_options,
           jo_study_part,
           jo_range,
           jo_correlation,
           jo_team,
           jo_sweep_options,
           jo_sweep_info,
           jo_sweep_point,
           jo_statistic,
           jo_tyre_info,
           jo_tyre_coefficient,
           jo_tyre_options)

# name: what it returns, what it takes
FUNCTIONS = {
    "jo_context_create": (c_int, (POINTER(jo_allocator), POINTER(c_void_p),)),
    "jo_context_set_caller": (None, (c_void_p, c_int,)),
    "jo_context_destroy": (None, (c_void_p,)),
    "jo_context_message": (c_char_p, (c_void_p,)),
    "jo_context_diagnostic_count": (c_int, (c_void_p,)),
    "jo_context_diagnostic": (c_char_p, (c_void_p, c_int, POINTER(c_int),)),
    "jo_context_clear": (None, (c_void_p,)),
    "jo_output_check": (c_int, (c_void_p, c_char_p,)),
    "jo_output_write": (c_int, (c_void_p, c_char_p, c_void_p, c_size_t,)),
    "jo_text_character": (c_int, (c_char_p,)),
    "jo_status_text": (c_char_p, (c_int,)),
    "jo_version": (c_char_p, ()),
    "jo_processor": (c_int, (c_void_p, POINTER(c_char_p), POINTER(c_int),)),
    "jo_method_find": (c_int, (c_char_p,)),
    "jo_method_name": (c_char_p, (c_int,)),
    "jo_model_load": (c_int, (c_void_p, c_char_p, POINTER(jo_setting), c_int, POINTER(c_void_p),)),
    "jo_model_parse": (c_int, (c_void_p, c_char_p, c_size_t, c_char_p, POINTER(jo_setting), c_int, POINTER(c_void_p),)),
    "jo_model_destroy": (None, (c_void_p,)),
    "jo_model_name": (c_char_p, (c_void_p,)),
    "jo_model_description": (c_char_p, (c_void_p,)),
    "jo_model_path": (c_char_p, (c_void_p,)),
    "jo_model_sha256": (c_char_p, (c_void_p,)),
    "jo_model_settings": (c_char_p, (c_void_p,)),
    "jo_model_inspect": (jo_model_info, (c_void_p,)),
    "jo_model_parameter_count": (c_int, (c_void_p,)),
    "jo_model_parameter_at": (c_int, (c_void_p, c_int, POINTER(jo_parameter),)),
    "jo_model_quantity": (c_int, (c_void_p, c_char_p, c_char_p, POINTER(c_double),)),
    "jo_model_body_count": (c_int, (c_void_p,)),
    "jo_model_body_at": (c_int, (c_void_p, c_int, POINTER(jo_body),)),
    "jo_model_joint_count": (c_int, (c_void_p,)),
    "jo_model_joint_at": (c_int, (c_void_p, c_int, POINTER(jo_joint),)),
    "jo_model_closure_count": (c_int, (c_void_p,)),
    "jo_model_closure_at": (c_int, (c_void_p, c_int, POINTER(jo_closure),)),
    "jo_model_coupling_count": (c_int, (c_void_p,)),
    "jo_model_coupling_at": (c_int, (c_void_p, c_int, POINTER(jo_coupling),)),
    "jo_model_unit": (c_char_p, (c_void_p, c_char_p,)),
    "jo_model_shown": (c_double, (c_void_p, c_char_p, c_double,)),
    "jo_schema_write": (c_int, (c_void_p, c_char_p, c_char_p,)),
    "jo_system_options_default": (jo_system_options, ()),
    "jo_system_create": (c_int, (c_void_p, c_void_p, POINTER(jo_system_options), POINTER(c_void_p),)),
    "jo_system_check": (c_int, (c_void_p, c_void_p,)),
    "jo_system_destroy": (None, (c_void_p,)),
    "jo_system_set": (c_int, (c_void_p, c_void_p, POINTER(c_char_p), POINTER(c_double), c_int,)),
    "jo_system_get": (c_int, (c_void_p, c_void_p, c_char_p, POINTER(c_double),)),
    "jo_system_inspect": (jo_system_info, (c_void_p,)),
    "jo_system_operations": (jo_operations, (c_void_p, c_int,)),
    "jo_role_name": (c_char_p, (c_int,)),
    "jo_system_coordinate_count": (c_int, (c_void_p,)),
    "jo_system_coordinate_at": (c_int, (c_void_p, c_int, POINTER(jo_coordinate),)),
    "jo_system_redundant_name": (c_char_p, (c_void_p, c_int,)),
    "jo_system_switch_name": (c_char_p, (c_void_p, c_int,)),
    "jo_tables_find": (POINTER(jo_table), (POINTER(jo_tables), c_char_p,)),
    "jo_table_column": (c_int, (POINTER(jo_table), c_char_p,)),
    "jo_table_number": (c_double, (POINTER(jo_table), c_char_p, c_int,)),
    "jo_table_save": (c_int, (c_void_p, POINTER(jo_table), c_char_p,)),
    "jo_table_print": (None, (POINTER(jo_table), c_int, CFUNCTYPE(None, c_void_p, c_char_p, c_size_t), c_void_p,)),
    "jo_tables_json": (None, (POINTER(jo_tables), c_int, CFUNCTYPE(None, c_void_p, c_char_p, c_size_t), c_void_p,)),
    "jo_text_quote": (None, (c_char_p, CFUNCTYPE(None, c_void_p, c_char_p, c_size_t), c_void_p,)),
    "jo_simulate_options_default": (jo_simulate_options, ()),
    "jo_simulate": (c_int, (c_void_p, c_void_p, POINTER(jo_simulate_options), POINTER(c_void_p),)),
    "jo_result_destroy": (None, (c_void_p,)),
    "jo_result_statistics": (jo_statistics, (c_void_p,)),
    "jo_result_tables": (POINTER(jo_tables), (c_void_p,)),
    "jo_result_save": (c_int, (c_void_p, c_void_p, c_char_p,)),
    "jo_static_create": (c_int, (c_void_p, c_void_p, POINTER(c_void_p),)),
    "jo_static_destroy": (None, (c_void_p,)),
    "jo_static_inspect": (jo_static_info, (c_void_p,)),
    "jo_static_tables": (POINTER(jo_tables), (c_void_p,)),
    "jo_static_differentiate": (c_int, (c_void_p, c_void_p, POINTER(c_char_p), c_int, POINTER(c_void_p),)),
    "jo_modes_options_default": (jo_modes_options, ()),
    "jo_modes_create": (c_int, (c_void_p, c_void_p, POINTER(jo_modes_options), POINTER(c_void_p),)),
    "jo_modes_destroy": (None, (c_void_p,)),
    "jo_modes_tables": (POINTER(jo_tables), (c_void_p,)),
    "jo_generate": (c_int, (c_void_p, c_void_p, c_char_p, POINTER(jo_generated),)),
    "jo_sens_method_name": (c_char_p, (c_int,)),
    "jo_sens_parameter_count": (c_int, (c_void_p,)),
    "jo_sens_parameter_at": (c_int, (c_void_p, c_int, POINTER(jo_sens_parameter),)),
    "jo_sens_parameter_find": (c_int, (c_void_p, c_char_p,)),
    "jo_sens_integrator_name": (c_char_p, (c_int,)),
    "jo_sens_options_default": (jo_sens_options, ()),
    "jo_sens_run": (c_int, (c_void_p, c_void_p, POINTER(jo_sens_options), POINTER(c_void_p),)),
    "jo_sens_result_destroy": (None, (c_void_p,)),
    "jo_sens_result_statistics": (jo_sens_statistics, (c_void_p,)),
    "jo_sens_objective_count": (c_int, (c_void_p,)),
    "jo_sens_objective_at": (c_int, (c_void_p, c_int, POINTER(jo_quantity),)),
    "jo_sens_objective_reason": (c_char_p, (c_void_p, c_int,)),
    "jo_sens_gradient": (POINTER(c_double), (c_void_p,)),
    "jo_sens_gradient_error": (POINTER(c_double), (c_void_p,)),
    "jo_sens_derivative": (c_double, (c_void_p, c_int, c_int,)),
    "jo_sens_objective_error": (c_double, (c_void_p, c_int,)),
    "jo_sens_derivative_error": (c_double, (c_void_p, c_int, c_int,)),
    "jo_sens_derivative_frozen": (c_double, (c_void_p, c_int, c_int,)),
    "jo_sens_event_count": (c_int, (c_void_p,)),
    "jo_sens_event_at": (c_int, (c_void_p, c_int, POINTER(jo_sens_event),)),
    "jo_sens_event_shift": (c_double, (c_void_p, c_int, c_int,)),
    "jo_sens_event_contribution": (c_double, (c_void_p, c_int, c_int, c_int,)),
    "jo_sens_rank": (c_int, (c_void_p, c_void_p, c_int, POINTER(c_double), c_double, POINTER(jo_sens_row),)),
    "jo_sens_save": (c_int, (c_void_p, c_void_p, c_char_p,)),
    "jo_sens_history_column_count": (c_int, (c_void_p,)),
    "jo_sens_history_column_at": (c_int, (c_void_p, c_int, POINTER(jo_quantity),)),
    "jo_sens_history_row_count": (c_int, (c_void_p,)),
    "jo_sens_history_rows": (POINTER(c_double), (c_void_p,)),
    "jo_sens_history_save": (c_int, (c_void_p, c_void_p, c_char_p,)),
    "jo_sens_check": (c_int, (c_void_p, c_void_p, CFUNCTYPE(c_int, c_void_p, c_double), c_void_p, POINTER(jo_sens_check_row),)),
    "jo_verdict_name": (c_char_p, (c_int,)),
    "jo_sens_judge": (c_int, (c_void_p, c_void_p, POINTER(jo_sens_check_row), POINTER(jo_sens_agreement), POINTER(c_int),)),
    "jo_sens_vcurve": (c_int, (c_void_p, c_void_p, POINTER(jo_sens_options), c_int, c_int, c_int, POINTER(jo_sens_vcurve_point), POINTER(c_double),)),
    "jo_sens_vcurve_save": (c_int, (c_void_p, c_void_p, c_int, c_int, POINTER(jo_sens_vcurve_point), c_int, c_double, c_char_p,)),
    "jo_batch_options_default": (jo_batch_options, ()),
    "jo_batch_create": (c_int, (c_void_p, c_void_p, POINTER(jo_batch_options), POINTER(c_void_p),)),
    "jo_batch_destroy": (None, (c_void_p,)),
    "jo_batch_run": (c_int, (c_void_p, c_int, POINTER(c_double),)),
    "jo_batch_run_on": (c_int, (c_void_p, c_int, POINTER(c_double), POINTER(c_int),)),
    "jo_batch_inspect": (jo_batch_info, (c_void_p,)),
    "jo_batch_parameter_name": (c_char_p, (c_void_p, c_int,)),
    "jo_batch_objective_name": (c_char_p, (c_void_p, c_int,)),
    "jo_batch_wrt_name": (c_char_p, (c_void_p, c_int,)),
    "jo_batch_output_name": (c_char_p, (c_void_p, c_int,)),
    "jo_batch_history_name": (c_char_p, (c_void_p, c_int,)),
    "jo_batch_times": (POINTER(c_double), (c_void_p,)),
    "jo_batch_point_count": (c_int, (c_void_p,)),
    "jo_batch_point_at": (c_int, (c_void_p, c_int, POINTER(jo_batch_point),)),
    "jo_batch_values": (POINTER(c_double), (c_void_p,)),
    "jo_batch_gradients": (POINTER(c_double), (c_void_p,)),
    "jo_batch_outputs": (POINTER(c_double), (c_void_p,)),
    "jo_batch_histories": (POINTER(c_double), (c_void_p,)),
    "jo_fmu_options_default": (jo_fmu_options, ()),
    "jo_export_fmu": (c_int, (c_void_p, c_void_p, POINTER(jo_fmu_options), c_char_p, POINTER(jo_fmu),)),
    "jo_export_assembly": (c_int, (c_void_p, c_void_p, POINTER(c_void_p),)),
    "jo_listing_destroy": (None, (c_void_p,)),
    "jo_listing_text": (c_char_p, (c_void_p,)),
    "jo_listing_inspect": (jo_listing_info, (c_void_p,)),
    "jo_import": (c_int, (c_void_p, c_char_p, POINTER(c_void_p),)),
    "jo_imported_destroy": (None, (c_void_p,)),
    "jo_imported_text": (c_char_p, (c_void_p,)),
    "jo_imported_inspect": (jo_imported_info, (c_void_p,)),
    "jo_imported_remark_count": (c_int, (c_void_p,)),
    "jo_imported_remark_at": (c_int, (c_void_p, c_int, POINTER(jo_import_remark),)),
    "jo_kinematics_options_default": (jo_kinematics_options, ()),
    "jo_kinematics_create": (c_int, (c_void_p, c_void_p, POINTER(jo_kinematics_options), POINTER(c_void_p),)),
    "jo_kinematics_destroy": (None, (c_void_p,)),
    "jo_kinematics_tables": (POINTER(jo_tables), (c_void_p,)),
    "jo_kinematics_sheet": (c_int, (c_void_p, c_void_p, POINTER(jo_kinematics_options), c_char_p,)),
    "jo_loads_driver_name": (c_char_p, (c_int,)),
    "jo_loads_driver_find": (c_int, (c_char_p,)),
    "jo_loads_options_default": (jo_loads_options, ()),
    "jo_loads_run": (c_int, (c_void_p, c_void_p, POINTER(jo_loads_options), POINTER(c_void_p),)),
    "jo_loads_result_destroy": (None, (c_void_p,)),
    "jo_loads_result_statistics": (jo_loads_statistics, (c_void_p,)),
    "jo_loads_element_count": (c_int, (c_void_p,)),
    "jo_loads_element_at": (c_int, (c_void_p, c_int, POINTER(jo_loads_element),)),
    "jo_loads_cycles": (c_int, (c_void_p, c_void_p, c_int, c_int, c_int, POINTER(c_double), POINTER(c_double),)),
    "jo_loads_tables": (POINTER(jo_tables), (c_void_p,)),
    "jo_loads_save": (c_int, (c_void_p, c_void_p, c_char_p,)),
    "jo_loads_rainflow_save": (c_int, (c_void_p, c_void_p, c_int, c_char_p,)),
    "jo_loads_plot_save": (c_int, (c_void_p, POINTER(jo_loads_plot), c_char_p,)),
    "jo_load_events_open": (c_int, (c_void_p, c_char_p, POINTER(jo_setting), c_int, POINTER(jo_system_options), POINTER(c_void_p),)),
    "jo_load_events_destroy": (None, (c_void_p,)),
    "jo_load_events_model": (c_void_p, (c_void_p,)),
    "jo_reconstruct_options_default": (jo_reconstruct_options, ()),
    "jo_load_events_reconstruct": (c_int, (c_void_p, c_void_p, POINTER(jo_reconstruct_options), POINTER(jo_reconstruction),)),
    "jo_load_events_count": (c_int, (c_void_p,)),
    "jo_load_events_at": (c_int, (c_void_p, c_int, POINTER(jo_load_event_again),)),
    "jo_loads_sens_options_default": (jo_loads_sens_options, ()),
    "jo_loads_sens_run": (c_int, (c_void_p, c_void_p, POINTER(jo_loads_sens_options), POINTER(c_void_p),)),
    "jo_loads_sens_destroy": (None, (c_void_p,)),
    "jo_loads_sens_count": (c_int, (c_void_p,)),
    "jo_loads_sens_at": (c_int, (c_void_p, c_int, POINTER(jo_loads_gradient),)),
    "jo_loads_sens_save": (c_int, (c_void_p, c_void_p, c_char_p,)),
    "jo_report_options_default": (jo_report_options, ()),
    "jo_report_write": (c_int, (c_void_p, c_void_p, POINTER(jo_report_options), c_char_p, POINTER(c_int64),)),
    "jo_road_heights": (c_int, (c_void_p, c_void_p, c_int, POINTER(c_double), POINTER(c_double),)),
    "jo_road_spectrum": (c_int, (c_int, c_double, POINTER(c_double), POINTER(jo_road_band),)),
    "jo_road_options_default": (jo_road_options, ()),
    "jo_road_write": (c_int, (c_void_p, c_void_p, POINTER(jo_road_options), c_char_p,)),
    "jo_run_create": (c_int, (c_void_p, c_void_p, POINTER(jo_simulate_options), POINTER(c_void_p),)),
    "jo_run_destroy": (None, (c_void_p,)),
    "jo_run_advance": (c_int, (c_void_p, c_void_p, c_double,)),
    "jo_run_time": (c_double, (c_void_p,)),
    "jo_run_state_count": (c_int, (c_void_p,)),
    "jo_run_state": (POINTER(c_double), (c_void_p,)),
    "jo_run_state_at": (c_int, (c_void_p, c_int, POINTER(jo_quantity),)),
    "jo_run_change_count": (c_int, (c_void_p,)),
    "jo_run_set_state": (c_int, (c_void_p, c_void_p, c_double, POINTER(c_double),)),
    "jo_run_input_count": (c_int, (c_void_p,)),
    "jo_run_input_find": (c_int, (c_void_p, c_char_p,)),
    "jo_run_input_at": (c_int, (c_void_p, c_int, POINTER(jo_quantity),)),
    "jo_run_set_input": (c_int, (c_void_p, c_void_p, c_int, c_double,)),
    "jo_run_output_count": (c_int, (c_void_p,)),
    "jo_run_output_at": (c_int, (c_void_p, c_int, POINTER(jo_quantity),)),
    "jo_run_outputs": (c_int, (c_void_p, c_void_p, POINTER(c_double),)),
    "jo_run_rhs": (c_int, (c_void_p, c_void_p, c_double, POINTER(c_double), POINTER(c_double),)),
    "jo_run_switches": (c_int, (c_void_p, c_void_p, c_double, POINTER(c_double), POINTER(c_double),)),
    "jo_study_load": (c_int, (c_void_p, c_char_p, POINTER(jo_setting), c_int, POINTER(c_void_p),)),
    "jo_study_destroy": (None, (c_void_p,)),
    "jo_study_name": (c_char_p, (c_void_p,)),
    "jo_study_model": (c_void_p, (c_void_p,)),
    "jo_study_options_default": (jo_study_options, ()),
    "jo_study_run": (c_int, (c_void_p, c_void_p, POINTER(jo_study_options),)),
    "jo_study_part_count": (c_int, (c_void_p,)),
    "jo_study_part_at": (c_int, (c_void_p, c_int, POINTER(jo_study_part),)),
    "jo_study_tables": (POINTER(jo_tables), (c_void_p, c_int,)),
    "jo_study_figure_save": (c_int, (c_void_p, c_void_p, c_int, c_int, c_char_p,)),
    "jo_study_save": (c_int, (c_void_p, c_void_p, c_char_p,)),
    "jo_sweep_options_default": (jo_sweep_options, ()),
    "jo_sweep_create": (c_int, (c_void_p, c_void_p, POINTER(jo_sweep_options), POINTER(c_void_p),)),
    "jo_sweep_destroy": (None, (c_void_p,)),
    "jo_sweep_run": (c_int, (c_void_p,)),
    "jo_sweep_inspect": (jo_sweep_info, (c_void_p,)),
    "jo_sweep_parameter_name": (c_char_p, (c_void_p, c_int,)),
    "jo_sweep_objective_name": (c_char_p, (c_void_p, c_int,)),
    "jo_sweep_wrt_name": (c_char_p, (c_void_p, c_int,)),
    "jo_sweep_point_count": (c_int, (c_void_p,)),
    "jo_sweep_point_at": (c_int, (c_void_p, c_int, POINTER(jo_sweep_point),)),
    "jo_sweep_parameters": (POINTER(c_double), (c_void_p,)),
    "jo_sweep_column_count": (c_int, (c_void_p,)),
    "jo_sweep_rows": (POINTER(c_double), (c_void_p,)),
    "jo_sweep_statistics": (c_int, (c_void_p,)),
    "jo_sweep_statistic_count": (c_int, (c_void_p,)),
    "jo_sweep_statistic_at": (c_int, (c_void_p, c_int, POINTER(jo_statistic),)),
    "jo_sweep_save": (c_int, (c_void_p, c_void_p, c_char_p,)),
    "jo_tyre_load": (c_int, (c_void_p, c_char_p, POINTER(jo_setting), c_int, POINTER(c_void_p),)),
    "jo_tyre_destroy": (None, (c_void_p,)),
    "jo_tyre_inspect": (jo_tyre_info, (c_void_p,)),
    "jo_tyre_coefficient_count": (c_int, (c_void_p,)),
    "jo_tyre_coefficient_at": (c_int, (c_void_p, c_int, POINTER(jo_tyre_coefficient),)),
    "jo_tyre_options_default": (jo_tyre_options, ()),
    "jo_tyre_function_create": (c_int, (c_void_p, c_void_p, POINTER(jo_tyre_options), POINTER(c_void_p),)),
    "jo_tyre_function_destroy": (None, (c_void_p,)),
    "jo_tyre_input_name": (c_char_p, (c_void_p, c_int,)),
    "jo_tyre_input_unit": (c_char_p, (c_void_p, c_int,)),
    "jo_tyre_output_count": (c_int, (c_void_p,)),
    "jo_tyre_output_name": (c_char_p, (c_void_p, c_int,)),
    "jo_tyre_output_unit": (c_char_p, (c_void_p, c_int,)),
    "jo_tyre_input_default": (c_double, (c_void_p, c_int,)),
    "jo_tyre_evaluate": (c_int, (c_void_p, POINTER(c_double), POINTER(c_double),)),
    "jo_tyre_table_create": (c_int, (c_void_p, c_void_p, POINTER(jo_tyre_options), c_char_p, POINTER(c_void_p),)),
    "jo_tyre_table_destroy": (None, (c_void_p,)),
    "jo_tyre_table_rows": (c_int, (c_void_p,)),
    "jo_tyre_table_text": (c_char_p, (c_void_p,)),
    "jo_tyre_plot": (c_int, (c_void_p, c_void_p, POINTER(jo_tyre_options), c_char_p,)),
}
