#include "core/canon/options.hpp"
#include "core/canon/schema.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

// Any bytes as a schema and as settings: what cannot be understood is said and enforces nothing.
//
// Seeds: tests/fuzz/corpus/canon_schema.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace resilient::canon;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const schema rules = parse_schema(std::optional<std::string>(bytes));
  const article subject = apply_change(std::nullopt, {bytes, bytes, std::nullopt}, "2026-11-30");
  const schema_verdict created = check_schema(rules, {subject, true, true, true, true});
  const schema_verdict read = check_schema(rules, {subject});
  if (!read.rejections.empty()
      || created.rejections.size() + created.warnings.size() != read.warnings.size()) {
    std::abort();
  }
  for (const auto source :
       {options_source::user_file, options_source::caller, options_source::trusted_project}) {
    const auto parsed = parse_options({}, bytes, source);
    if (parsed ? parsed->standout < 1 : parsed.error().message.empty()) {
      std::abort();
    }
  }
  static_cast<void>(set_option(bytes, "standout", "1.8"));
  static_cast<void>(set_option("{}", "standout", bytes));
  return 0;
}
