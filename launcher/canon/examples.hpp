#pragma once

/// What `--help` shows below the options: examples of each command, and what is worth knowing.
namespace resilient::canon::examples {

inline constexpr const char* all = R"(Examples:
  canon write src/core/config --capsule "Layered config; env beats file." --body -
  canon read src/core/config.ts
  canon journal --body "Cap raised from 40 to 42." --subject lake/prices --slug vendor-cap
  canon search vendor cap --journal
Each command has more: canon COMMAND --help

A path is taken from the project folder, or from the current folder when it begins with ./ or ../
The project is the nearest folder upwards that has .canon/articles, or what --project says.

There are six options and no seventh. For one run they are --root, --mount, --surface, --resurface,
--retrieval and --standout; CANON_ROOT and CANON_MOUNTS (folders with : between) give the first two
to every run, and `canon settings set` keeps the other four.
Exit codes: 0 done, 1 not done, 64 wrong usage.)";

inline constexpr const char* read = R"(Examples:
  canon read src/core/config.ts
  canon read ./config.ts            from the current folder
  canon read lake:prices --mount ../lake
  echo '{"path":"src/core"}' | canon read --json

When nothing is at the address itself, the nearest article above it answers.)";

inline constexpr const char* write = R"(Examples:
  canon write src/core/config --capsule "Layered config; env beats file."
  canon write src/core/config --body - < body.md
  canon write rules/money --scope rule --capsule "Amounts are integer cents everywhere."
  echo '{"path":"a","capsule":"One line.","body":"Text."}' | canon write --json

What is left out stays as it is. Advice is printed after the write has landed; only a rule that the
store's schema.json declares required refuses one.)";

inline constexpr const char* journal = R"(Examples:
  canon journal --body "Vendor raised the cap from 40 to 42." --subject lake/prices
  canon journal --body - --subject src/a --subject src/b --slug outage < notes.md

Say what happened with names and exact numbers: entries are never changed.)";

inline constexpr const char* map = R"(Examples:
  canon map
  canon map src/core
  canon map lake: --mount ../lake)";

inline constexpr const char* search = R"(Examples:
  canon search vendor cap
  canon search "page size" --journal
  canon search cents --path lake: --mount ../lake)";

inline constexpr const char* check = R"(Examples:
  canon check
  canon check --strict              exits with 1 when something was found
  canon check --json

Finds dead links, files that cannot be read, a broken schema.json and, when it asks for them, orphans
and children that are not listed.)";

inline constexpr const char* why = R"(Examples:
  canon why src/core/config.ts
  canon why --json ../lake/prices.csv --mount ../lake

It judges as a Pi started in the project would: canon's own settings, then "canon" in Pi's user settings
and in the project's when Pi trusts it, then what is typed here. The last line names what decided.)";

inline constexpr const char* status = R"(Examples:
  canon status
  canon status --json --mount ../lake)";

inline constexpr const char* settings = R"(Examples:
  canon settings
  canon settings get standout
  canon settings set surface off
  canon settings set retrieval lexical

They are kept in settings.json below ~/.config/canon (or XDG_CONFIG_HOME). root and mounts belong to a
project, not to a user: pass --root and --mount, or set CANON_ROOT and CANON_MOUNTS.)";

inline constexpr const char* settings_get = R"(Examples:
  canon settings get
  canon settings get retrieval)";

inline constexpr const char* settings_set = R"(Examples:
  canon settings set surface off      on, off: capsules arrive when a path is touched
  canon settings set resurface off    on, off: again, once they left the context
  canon settings set retrieval none   none, lexical
  canon settings set standout 1.8     a number from 1 on; used unless retrieval is none)";

inline constexpr const char* hook = R"(Examples:
  canon hook claude-code < event.json
  canon hook codex < event.json

Hosts run this, as the plugin in deploy/plugins/canon tells them. It prints one JSON object, {} when
there is nothing to say, and exits with 0 whatever happens; what went wrong is on stderr.)";

inline constexpr const char* mcp = R"(Examples:
  canon mcp
  canon mcp --host codex --mount /data/lake
  claude mcp add canon -- canon mcp

One JSON-RPC message a line. It ends with its stdin, and with the program that started it.)";

} // namespace resilient::canon::examples
