// SPDX-License-Identifier: Apache-2.0
// Scenes of replays made by hand, with names and numbers that try to break them; those of models are read
// back by cli/test_formats.py.
#include "report/format/gltf.h"

#include "report/sample.h"
#include "support/failing_alloc.h"

enum { FRAMES = 3, POINTS = 3, BODIES = 2 };

typedef struct hard {
  double xyz[FRAMES * POINTS * 3], spin[FRAMES * 9], pose[FRAMES * BODIES * 9], z[4];
  int point[POINTS], edge[4];
  jscene_replay_body body[BODIES];
  jscene_replay_line line[2];
  jscene_replay_wheel wheel;
  jscene_replay replay;
  jreport_scene scene;
} hard;

static void hard_init(hard* h, int nframe) {
  *h = (hard){.point = {0, 1, 2},
              .edge = {0, 1, 1, 2},
              .line = {{"no length", 0, 0, true}, {"turns around", 0, 1, false}},
              .wheel = {"wheel", 0.0}};
  for (int f = 0; f < FRAMES; f++) {
    double* p = h->xyz + 9 * f;
    p[3] = f % 2 ? -1.0 : 1.0;
    p[7] = f == 2 ? NAN : 1.0;
    double* s = h->spin + 9 * f;
    s[4] = s[6] = 1.0;
    for (int i = 0; i < BODIES; i++) {
      double* frame = h->pose + 9 * (BODIES * f + i);
      frame[3] = f % 2 ? -1.0 : 1.0;
      frame[7] = f % 2 ? -1.0 : 1.0;
    }
  }
  h->body[0] = (jscene_replay_body){.name = "ground"};
  h->body[1] =
      (jscene_replay_body){"q\"\\\n\x01 \xff \xf0\x9f\x9a\x97", POINTS, 2, h->point, h->edge};
  h->replay = (jscene_replay){.dt = 0.02,
                              .nframe = nframe,
                              .npoint = POINTS,
                              .nbody = BODIES,
                              .nline = 2,
                              .nwheel = 1,
                              .follow = -1,
                              .xyz = h->xyz,
                              .spin = h->spin,
                              .pose = h->pose,
                              .body = h->body,
                              .line = h->line,
                              .wheel = &h->wheel,
                              .road = {2, 2, 0.0, 0.0, 1.0, 1.0, h->z}};
  h->scene = (jreport_scene){"</script>\"", "0123", "", &h->replay};
}

static uint32_t word(const char* at) {
  uint32_t x;
  memcpy(&x, at, sizeof x);
  return x;
}

static void check_file(fixture* f, const hard* h) {
  const char* path = fixture_below(f, "scene.glb");
  size_t size;
  int64_t bytes;
  assert_ok(f->ctx, jreport_glb(f->ctx, &h->scene, path, &bytes));
  char* data = sample_read(path, &size);
  assert_int_equal(size, bytes);
  assert_memory_equal(data, "glTF", 4);
  assert_int_equal(word(data + 4), 2);
  assert_int_equal(word(data + 8), size);
  size_t json = word(data + 12), bin = word(data + 20 + json);
  assert_memory_equal(data + 16, "JSON", 4);
  assert_memory_equal(data + 24 + json, "BIN", 4);
  assert_int_equal(28 + json + bin, size);
  assert_true(json % 4 == 0 && bin % 4 == 0);
  // every number of the buffer is finite as a float, or an index
  for (size_t i = 28 + json; i < size; i += 4) {
    assert_true((word(data + i) & 0x7f800000) != 0x7f800000);
  }
  data[20 + json] = 0;
  assert_non_null(strstr(data + 20, "q\\u0022\\u005c\\u000a\\u0001 \\ufffd \xf0\x9f\x9a\x97"));
  assert_null(strstr(data + 20, "nan"));
  assert_null(strstr(data + 20, "inf"));
  bool moves = strstr(data + 20, "\"animations\"") != NULL;
  assert_int_equal(moves, h->replay.nframe > 1);
  free(data);
}

static void test_gltf_hostile_names_and_numbers(void** state) {
  hard h;
  hard_init(&h, FRAMES);
  check_file(*state, &h);
}

static void test_gltf_single_frame_has_no_animation(void** state) {
  hard h;
  hard_init(&h, 1);
  check_file(*state, &h);
}

static void test_gltf_no_frame_is_refused(void** state) {
  fixture* f = *state;
  hard h;
  hard_init(&h, 0);
  assert_int_equal(jreport_glb(f->ctx, &h.scene, "a.glb", NULL), JO_ERR_ARGUMENT);
  assert_non_null(strstr(jo_context_message(f->ctx), "a.glb"));
}

static void test_gltf_survives_the_end_of_memory(void** state) {
  hard h;
  hard_init(&h, FRAMES);
  const char* path = fixture_below(*state, "oom.glb");
  for (long n = 1;; n++) {
    failing_alloc memory;
    failing_alloc_init(&memory, n);
    jo_context* ctx;
    assert_int_equal(jo_context_create(&memory.allocator, &ctx), JO_OK);
    jo_status status = jreport_glb(ctx, &h.scene, path, NULL);
    jo_context_destroy(ctx);
    assert_int_equal(memory.live_bytes, 0);
    if (status >= 0) break;
    assert_int_equal(status, JO_ERR_MEMORY);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_gltf_hostile_names_and_numbers),
      fixture_test(test_gltf_single_frame_has_no_animation),
      fixture_test(test_gltf_no_frame_is_refused),
      fixture_test(test_gltf_survives_the_end_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
