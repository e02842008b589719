// SPDX-License-Identifier: Apache-2.0
// jounce static: where a model comes to rest, and what its sensors say there.
#include <stdio.h>

#include "cli.h"
#include "json.h"
#include "terminal.h"

static void print_text(const jo_model* m, const jo_static* s) {
  jo_static_info info = jo_static_inspect(s);
  cli_heading("%s: static equilibrium%s", jo_model_name(m),
              info.is_unstable  ? ", unstable"
              : *info.undecided ? ", undecided whether stable or unstable (indifferent)"
                                : "");
  printf("  %d of %d degrees of freedom held by forces, %d steps, accelerations below %.1e\n",
         info.held, info.dof, info.iterations, info.residual);
  if (*info.undecided) {
    printf("  forces about it neither hold nor drive '%s' to first order\n", info.undecided);
  }
  cli_tables(jo_static_tables(s));
}

static void print_json(const jo_model* m, const jo_static* s) {
  cli_json j = {0};
  cli_json_object(&j, NULL);
  cli_json_text(&j, "model", jo_model_name(m));
  cli_json_text(&j, "sha256", jo_model_sha256(m));
  cli_json_text(&j, "settings", jo_model_settings(m));
  cli_json_tables(&j, jo_static_tables(s));
  cli_json_end(&j);
}

static cli_exit solve(cli* c, const jo_model* model, const cli_list* wrt, jo_static** s) {
  jo_status status = wrt->n == 0 ? jo_static_create(c->ctx, model, s)
                                 : jo_static_differentiate(c->ctx, model, wrt->word, wrt->n, s);
  cli_tell(c);
  return status < 0 ? CLI_FAIL : CLI_OK;
}

static cli_exit run(cli* c, int argc, char** argv) {
  const char* wrt = NULL;
  const cli_option option[] = {
      {"--wrt", "LIST", "also derivatives with respect to parameters, paths, path.*, or all",
       .text = &wrt}};
  cli_exit code = cli_parse(c, &cli_static, option, 1, argc, argv);
  if (code != CLI_OK) return code;
  cli_list list;
  jo_model* model = NULL;
  jo_static* s = NULL;
  code = cli_words("static", "--wrt", wrt, &list);
  if (code == CLI_OK) code = cli_load(c, &model);
  if (code == CLI_OK) code = solve(c, model, &list, &s);
  if (code == CLI_OK) (c->json ? print_json : print_text)(model, s);
  jo_static_destroy(s);
  jo_model_destroy(model);
  cli_list_free(&list);
  return code;
}

const cli_command cli_static = {"static", "FILE", 1, "find the static equilibrium of a model", run};
