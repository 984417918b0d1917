#include "core/canon/command_table.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

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
};

/// `ruff` formats by its first word and checks by another.
constexpr command_rule ruff_rule{.names = "ruff",
                                 .changes = with,
                                 .switches = "format --fix --fix-only",
                                 .leading = 1,
                                 .options_with_value = "--config --select --ignore --line-length",
                                 .is_formatter = true};

constexpr std::array prefix_rules{
    prefix_rule{"sudo", "-u -g -h -p -C -D"},
    prefix_rule{"doas", "-u -C"},
    prefix_rule{"env", "-u -C -S --unset --chdir"},
    prefix_rule{"command", ""},
    prefix_rule{"builtin", ""},
    prefix_rule{"exec", "-a"},
    prefix_rule{"nohup", ""},
    prefix_rule{"time", "-f -o"},
    prefix_rule{"nice", "-n"},
    prefix_rule{"ionice", "-c -n"},
    prefix_rule{"timeout", "-s -k --signal --kill-after", 1},
    prefix_rule{"gtimeout", "-s -k", 1},
    prefix_rule{"stdbuf", "-i -o -e"},
    prefix_rule{"setsid", ""},
    prefix_rule{"unbuffer", ""},
    prefix_rule{"busybox", ""},
    prefix_rule{"xargs", "-n -P -I -L -d -E -s -a --max-args --max-procs --delimiter --arg-file"},
    prefix_rule{"parallel", "-j -a --jobs"},
    prefix_rule{"npx", "-p --package"},
    prefix_rule{"pnpx", ""},
    prefix_rule{"bunx", ""},
    prefix_rule{"uvx", "--from --with"},
    prefix_rule{"pnpm", "", 0, "exec dlx", true},
    prefix_rule{"yarn", "", 0, "exec dlx run", true},
    prefix_rule{"bun", "", 0, "x", true},
    prefix_rule{"npm", "", 0, "exec x", false},
    prefix_rule{"uv", "--with", 0, "run", false},
    prefix_rule{"poetry", "", 0, "run", false},
    prefix_rule{"pipenv", "", 0, "run", false},
    prefix_rule{"pdm", "", 0, "run", false},
    prefix_rule{"hatch", "", 0, "run", false},
    prefix_rule{"rye", "", 0, "run", false},
    prefix_rule{"bundle", "", 0, "exec", false},
    prefix_rule{"python", "", 0, "-m", false},
    prefix_rule{"python3", "", 0, "-m", false},
    // The shell's own words that stand before a command.
    prefix_rule{"if", ""},
    prefix_rule{"then", ""},
    prefix_rule{"elif", ""},
    prefix_rule{"else", ""},
    prefix_rule{"while", ""},
    prefix_rule{"until", ""},
    prefix_rule{"do", ""},
    prefix_rule{"!", ""},
    prefix_rule{"{", ""},
    prefix_rule{"coproc", ""},
};

constexpr std::array git_rules{
    git_rule{.name = "add", .all_are_paths = true},
    git_rule{.name = "stage", .all_are_paths = true},
    git_rule{.name = "blame"},
    git_rule{
        .name = "rm", .all_are_paths = true, .changes_named = true, .dry_options = "-n --dry-run"},
    git_rule{
        .name = "mv", .all_are_paths = true, .changes_named = true, .dry_options = "-n --dry-run"},
    git_rule{.name = "clean",
             .all_are_paths = true,
             .changes_named = true,
             .dry_options = "-n --dry-run -nd -ndx -dn",
             .options_with_value = "-e --exclude"},
    git_rule{.name = "restore",
             .all_are_paths = true,
             .changes_named = true,
             .options_with_value = "-s --source"},
    git_rule{.name = "checkout",
             .changes_named = true,
             .changes_references = true,
             .options_with_value = "-b -B --orphan"},
    git_rule{.name = "stash", .changes_named = true, .options_with_value = "-m --message"},
    git_rule{.name = "reset"},
    git_rule{.name = "apply",
             .all_are_paths = true,
             .changes_unnamed = true,
             .dry_options = "--check --stat --numstat --summary",
             .options_with_value = "-p -C"},
    git_rule{.name = "am", .all_are_paths = true, .changes_unnamed = true},
    git_rule{
        .name = "merge", .changes_unnamed = true, .options_with_value = "-m -s -X -F --message"},
    git_rule{.name = "pull", .changes_unnamed = true, .options_with_value = "-s -X"},
    git_rule{.name = "rebase", .changes_unnamed = true, .options_with_value = "--onto -s -X -x"},
    git_rule{.name = "cherry-pick", .changes_unnamed = true, .options_with_value = "-m -s -X"},
    git_rule{.name = "revert", .changes_unnamed = true, .options_with_value = "-m -s -X"},
    git_rule{.name = "commit",
             .options_with_value = "-m -F -C -c --message --file --author --date -am -sm"},
    git_rule{.name = "tag", .options_with_value = "-m -F -a --message"},
    git_rule{.name = "log",
             .options_with_value = "-n -S -G --author --grep --since --until --format --pretty"},
    git_rule{.name = "grep", .options_with_value = "-e -A -B -C"},
};

using command_index = std::unordered_map<std::string_view, const command_rule*>;

const command_index& commands() {
  static const command_index index = [] {
    command_index built;
    for (const command_rule& rule : command_rules) {
      std::string_view names = rule.names;
      while (!names.empty()) {
        const std::size_t end = std::min(names.find(' '), names.size());
        if (end > 0) {
          built.emplace(names.substr(0, end), &rule);
        }
        names.remove_prefix(std::min(end + 1, names.size()));
      }
    }
    built.emplace(ruff_rule.names, &ruff_rule);
    return built;
  }();
  return index;
}

} // namespace

const command_rule* find_command(std::string_view name) noexcept {
  const auto found = commands().find(name);
  return found == commands().end() ? nullptr : found->second;
}

const prefix_rule* find_prefix(std::string_view name) noexcept {
  const auto* const found =
      std::find_if(prefix_rules.begin(), prefix_rules.end(),
                   [name](const prefix_rule& rule) { return rule.name == name; });
  return found == prefix_rules.end() ? nullptr : found;
}

git_rule find_git_rule(std::string_view verb) noexcept {
  const auto* const found =
      std::find_if(git_rules.begin(), git_rules.end(),
                   [verb](const git_rule& rule) { return rule.name == verb; });
  return found == git_rules.end() ? git_rule{} : *found;
}

bool is_interpreter(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 6> names{"python", "python3", "node",
                                                  "nodejs", "tsx",     "ts-node"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_shell_program(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 7> shells{"bash", "sh",  "zsh", "dash",
                                                   "ksh",  "ash", "fish"};
  return std::find(shells.begin(), shells.end(), name) != shells.end();
}

} // namespace resilient::canon
