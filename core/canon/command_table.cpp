#include "core/canon/command_table.hpp"

#include "core/canon/word_list.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace resilient::canon {

namespace {

using role = operand_role;
using which = which_operands;

constexpr auto always = change_rule::always;
constexpr auto with = change_rule::with_option;
constexpr auto unless = change_rule::unless_option;

constexpr std::array command_rules{
    // Read or list what they name.
    command_rule{.names = "cat head tail less more bat wc nl tac od xxd hexdump strings file stat "
                          "du tree cd pushd source . md5sum sha1sum sha256sum cksum cmp diff "
                          "comm paste cut uniq column fold fmt expand rev readlink realpath "
                          "basename dirname view vim vi nano emacs code open zcat pytest jest "
                          "vitest mocha shellcheck flake8 mypy pylint cloc"},
    command_rule{.names = "ls exa eza lsd", .prints_names = true},
    command_rule{.names = "grep egrep fgrep rg ag ack ugrep",
                 .leading = 1,
                 .options_with_value = "-A -B -C -m --include --exclude --exclude-dir -g --glob -t "
                                       "--type -d --max-count --max-depth",
                 .pattern_options = "-e -f --regexp --file --files --type-list",
                 .prints_names = true},
    command_rule{.names = "fd fdfind",
                 .leading = 1,
                 .options_with_value = "-e -t -d -E --extension --type --max-depth --exclude",
                 .prints_names = true},
    command_rule{.names = "awk gawk mawk",
                 .changes = with,
                 .switches = "inplace",
                 .leading = 1,
                 .options_with_value = "-v -F -i",
                 .pattern_options = "-f"},
    command_rule{.names = "jq",
                 .leading = 1,
                 .options_with_value = "--arg --argjson --indent",
                 .pattern_options = "-f"},
    command_rule{.names = "yq", .changes = with, .switches = "-i --inplace -iy", .leading = 1},
    command_rule{.names = "printf echo", .role = role::mention, .prints_names = true},
    // Words that are names of something else.
    command_rule{.names = "npm cargo bun pnpm yarn",
                 .role = role::reference,
                 .changes = with,
                 .switches = "--fix --write fmt",
                 .options_with_value = "-p --package",
                 .path_options = "--prefix --manifest-path",
                 .has_paths_after_dashes = true},
    command_rule{.names = "make gmake just cmake ninja tsc",
                 .role = role::reference,
                 .options_with_value = "-j -t --target",
                 .path_options = "-C -f -S -B -p --build --project --outDir --rootDir"},
    command_rule{.names = "docker podman kubectl pip pip3 apt apt-get brew ssh gh glab systemctl "
                          "service export unset alias type which whereis man kill pkill go deno "
                          "helm terraform aws gcloud az ping http node-gyp poetry uv rustup nvm "
                          "tmux screen read set declare local return exit sleep date whoami "
                          "history jobs wait",
                 .role = role::reference,
                 .options_with_value = "-m -p -t -n"},
    // Make, change and remove.
    command_rule{.names = "rm rmdir unlink shred tee sponge",
                 .changes = always,
                 .options_with_value = "-n -s --iterations"},
    command_rule{.names = "mkdir", .changes = always, .options_with_value = "-m --mode"},
    command_rule{.names = "mkfifo mknod", .changes = always, .which = which::first},
    command_rule{.names = "touch truncate",
                 .changes = always,
                 .options_with_value = "-d -t -r -s --size --date --reference"},
    command_rule{.names = "mv rename",
                 .changes = always,
                 .options_with_value = "-S --suffix",
                 .output_options = "-t --target-directory",
                 .copies_into_last = true},
    command_rule{.names = "cp install ln scp ditto gcp",
                 .changes = always,
                 .which = which::last,
                 .options_with_value = "-m -o -g -S -e --mode --owner --group --suffix --exclude "
                                       "--include --rsh",
                 .output_options = "-t --target-directory",
                 .copies_into_last = true},
    command_rule{.names = "rsync",
                 .changes = unless,
                 .which = which::last,
                 .switches = "-n --dry-run --list-only -an -avn -rvn -avzn -nav",
                 .options_with_value = "-e --rsh --exclude --include --filter",
                 .copies_into_last = true},
    command_rule{.names = "chmod chown chgrp chattr setfacl",
                 .changes = always,
                 .leading = 1,
                 .options_with_value = "-m -x",
                 .pattern_options = "--reference"},
    command_rule{.names = "patch",
                 .changes = unless,
                 .which = which::first,
                 .switches = "--dry-run",
                 .options_with_value = "-p -i -d -r -B --input --strip",
                 .output_options = "-o --output"},
    command_rule{.names = "gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd",
                 .changes = unless,
                 .switches = "-c --stdout -t -l -k"},
    command_rule{.names = "zip", .changes = always, .which = which::first},
    command_rule{.names = "unzip", .options_with_value = "-x", .output_options = "-d"},
    command_rule{.names = "ed ex", .changes = always},
    command_rule{
        .names = "sort", .options_with_value = "-k -t -S -T", .output_options = "-o --output"},
    command_rule{.names = "curl wget",
                 .role = role::reference,
                 .options_with_value = "-H -d -X -u --data --header -A -b -c",
                 .output_options = "-o -O --output --output-document"},
    command_rule{.names = "gcc g++ clang clang++ cc c++ ld as rustc pandoc dot protoc openssl",
                 .role = role::unsure,
                 .output_options = "-o --output"},
    command_rule{.names = "split csplit", .options_with_value = "-b -l -n -a"},
    // Rewrite files in place when told to, or unless told otherwise.
    command_rule{.names = "prettier stylelint markdownlint markdownlint-cli2 standard xo tslint "
                          "oxlint textlint",
                 .changes = with,
                 .switches = "--write -w --fix -f",
                 .options_with_value = "--config --parser --plugin --ignore-path",
                 .is_formatter = true},
    command_rule{.names = "eslint",
                 .changes = with,
                 .switches = "--fix",
                 .options_with_value = "-c --config --ext --rule --format -f",
                 .output_options = "-o --output-file",
                 .is_formatter = true},
    command_rule{.names = "biome",
                 .changes = with,
                 .switches = "--write --apply --apply-unsafe --fix",
                 .leading = 1,
                 .is_formatter = true},
    command_rule{.names = "gofmt goimports gofumpt shfmt",
                 .changes = with,
                 .switches = "-w --write -l=w -wl -lw",
                 .options_with_value = "-i",
                 .is_formatter = true},
    command_rule{.names = "clang-format yapf autopep8 nixfmt astyle uncrustify",
                 .changes = with,
                 .switches = "-i --in-place --inplace --replace -ir -i=true",
                 .options_with_value = "--style --max-line-length -c",
                 .is_formatter = true},
    command_rule{.names = "black isort rustfmt swiftformat ktlint autoflake docformatter pyupgrade "
                          "djlint dart-format zprint",
                 .changes = unless,
                 .switches = "--check --diff --check-only -c --emit",
                 .options_with_value = "-l --line-length --config --edition --target-version",
                 .is_formatter = true},
    command_rule{.names = "rubocop standardrb",
                 .changes = with,
                 .switches = "-a -A --autocorrect --autocorrect-all --auto-correct --fix",
                 .is_formatter = true},
    command_rule{.names = "php-cs-fixer phpcbf",
                 .changes = unless,
                 .switches = "--dry-run",
                 .is_formatter = true},
    command_rule{
        .names = "dprint", .changes = with, .switches = "fmt", .leading = 1, .is_formatter = true},
    command_rule{.names = "codemod jscodeshift ts-morph sd",
                 .changes = unless,
                 .switches = "-d --dry --preview -p",
                 .leading = 2,
                 .pattern_options = "-t --transform",
                 .is_formatter = true},
    // Formats by its first word, and checks by another one.
    command_rule{.names = "ruff",
                 .changes = with,
                 .switches = "format --fix --fix-only",
                 .leading = 1,
                 .options_with_value = "--config --select --ignore --line-length",
                 .is_formatter = true},
};

constexpr std::array prefix_rules{
    prefix_rule{.names = "sudo", .options_with_value = "-u -g -h -p -C -D"},
    prefix_rule{.names = "doas", .options_with_value = "-u -C"},
    prefix_rule{.names = "env", .options_with_value = "-u -C -S --unset --chdir"},
    prefix_rule{.names = "command builtin nohup setsid unbuffer busybox pnpx bunx"},
    prefix_rule{.names = "exec", .options_with_value = "-a"},
    prefix_rule{.names = "time", .options_with_value = "-f -o"},
    prefix_rule{.names = "nice", .options_with_value = "-n"},
    prefix_rule{.names = "ionice", .options_with_value = "-c -n"},
    prefix_rule{.names = "timeout",
                .options_with_value = "-s -k --signal --kill-after",
                .operands_before_command = 1},
    prefix_rule{.names = "gtimeout", .options_with_value = "-s -k", .operands_before_command = 1},
    prefix_rule{.names = "stdbuf", .options_with_value = "-i -o -e"},
    prefix_rule{.names = "xargs",
                .options_with_value = "-n -P -I -L -d -E -s -a --max-args --max-procs --delimiter "
                                      "--arg-file"},
    prefix_rule{.names = "parallel", .options_with_value = "-j -a --jobs"},
    prefix_rule{.names = "npx", .options_with_value = "-p --package"},
    prefix_rule{.names = "uvx", .options_with_value = "--from --with"},
    prefix_rule{.names = "pnpm", .subcommands = "exec dlx", .may_omit_subcommand = true},
    prefix_rule{.names = "yarn", .subcommands = "exec dlx run", .may_omit_subcommand = true},
    prefix_rule{.names = "bun", .subcommands = "x", .may_omit_subcommand = true},
    prefix_rule{.names = "npm", .subcommands = "exec x"},
    prefix_rule{.names = "uv", .options_with_value = "--with", .subcommands = "run"},
    prefix_rule{.names = "poetry pipenv pdm hatch rye", .subcommands = "run"},
    prefix_rule{.names = "bundle", .subcommands = "exec"},
    prefix_rule{.names = "python python3", .subcommands = "-m"},
    // The shell's own words that stand before a command.
    prefix_rule{.names = "if then elif else while until do ! { coproc"},
};

constexpr std::array git_rules{
    git_rule{.names = "add stage", .all_are_paths = true},
    git_rule{.names = "rm mv",
             .all_are_paths = true,
             .changes_named = true,
             .dry_options = "-n --dry-run"},
    git_rule{.names = "clean",
             .all_are_paths = true,
             .changes_named = true,
             .dry_options = "-n --dry-run -nd -ndx -dn",
             .options_with_value = "-e --exclude"},
    git_rule{.names = "restore",
             .all_are_paths = true,
             .changes_named = true,
             .options_with_value = "-s --source"},
    git_rule{.names = "checkout",
             .changes_named = true,
             .changes_references = true,
             .options_with_value = "-b -B --orphan"},
    git_rule{.names = "stash", .changes_named = true, .options_with_value = "-m --message"},
    git_rule{.names = "apply",
             .all_are_paths = true,
             .changes_unnamed = true,
             .dry_options = "--check --stat --numstat --summary",
             .options_with_value = "-p -C"},
    git_rule{.names = "am", .all_are_paths = true, .changes_unnamed = true},
    git_rule{
        .names = "merge", .changes_unnamed = true, .options_with_value = "-m -s -X -F --message"},
    git_rule{.names = "pull", .changes_unnamed = true, .options_with_value = "-s -X"},
    git_rule{.names = "rebase", .changes_unnamed = true, .options_with_value = "--onto -s -X -x"},
    git_rule{
        .names = "cherry-pick revert", .changes_unnamed = true, .options_with_value = "-m -s -X"},
    git_rule{.names = "commit",
             .options_with_value = "-m -F -C -c --message --file --author --date -am -sm"},
    git_rule{.names = "tag", .options_with_value = "-m -F -a --message"},
    git_rule{.names = "log",
             .options_with_value = "-n -S -G --author --grep --since --until --format --pretty"},
    git_rule{.names = "grep", .options_with_value = "-e -A -B -C"},
};

/// The first rule that lists the name; null when none does.
template <class Rule, std::size_t Count>
const Rule* find_rule(const std::array<Rule, Count>& rules, std::string_view name) noexcept {
  const auto* const found = std::find_if(
      rules.begin(), rules.end(), [name](const Rule& rule) { return lists(rule.names, name); });
  return found == rules.end() ? nullptr : found;
}

} // namespace

const command_rule* find_command(std::string_view name) noexcept {
  return find_rule(command_rules, name);
}

const prefix_rule* find_prefix(std::string_view name) noexcept {
  return find_rule(prefix_rules, name);
}

git_rule find_git_rule(std::string_view verb) noexcept {
  const git_rule* found = find_rule(git_rules, verb);
  return found == nullptr ? git_rule{} : *found;
}

bool is_interpreter(std::string_view name) noexcept {
  return lists("python python3 node nodejs tsx ts-node", name);
}

bool is_shell_program(std::string_view name) noexcept {
  return lists("bash sh zsh dash ksh ash fish", name);
}

} // namespace resilient::canon
