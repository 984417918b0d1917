#include "core/canon/shell_script.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace resilient::canon;

namespace {

/// A script in one line: words in angle brackets, `$name` for variables, `$(command)` for what a
/// command prints, `( )` for what is undone at its end, redirections behind their words.
std::string shown(const shell_word& word) {
  std::string text;
  for (const shell_piece& piece : word) {
    using kind = shell_piece::kind_type;
    text += piece.kind == kind::variable ? "$" + piece.text
            : piece.kind == kind::output ? "$(" + piece.text + ")"
                                         : piece.text;
  }
  return "<" + text + ">";
}

std::string shown(const std::string& text) {
  const shell_script script = parse_shell(text);
  std::string all;
  for (const shell_step& step : script.steps) {
    using kind = shell_step::kind_type;
    all += step.kind == kind::enter ? "(" : step.kind == kind::leave ? ")" : "";
    for (const shell_word& word : step.words) {
      all += shown(word);
    }
    for (const shell_redirection& each : step.redirections) {
      using how = shell_redirection::kind_type;
      all += each.kind == how::write       ? ">" + shown(each.target)
             : each.kind == how::read      ? "r" + shown(each.target)
             : each.kind == how::here_word ? "w" + shown(each.target)
                                           : "{" + script.texts[each.text] + "}";
    }
    all += step.kind == kind::command ? ";" : "";
  }
  return all;
}

} // namespace

TEST_CASE("scripts are taken apart into commands, words and redirections") {
  struct row {
    const char* text;
    const char* parts;
  };
  const std::vector<row> table{
      {"", ""},
      {"a b  c", "<a><b><c>;"},
      {"a;b&&c||d|e&f\ng", "<a>;<b>;<c>;<d>;<e>;<f>;<g>;"},
      {"a 'b c' \"d e\" f\\ g", "<a><b c><d e><f g>;"},
      {"a '' \"\"", "<a><><>;"},
      {"a'b'\"c\"d", "<abcd>;"},
      {"a \"\\\"$x\\$y\"", "<a><\"$x$y>;"},
      {"$x ${y} ${z:-q} $1", "<$x><$y><$()><$1>;"},
      {"a # b\nc#d", "<a>;<c#d>;"},
      {"a>b", "<a>><b>;"},
      {"a >b 2>>c <d", "<a>><b>><c>r<d>;"},
      {"a 2>&1 >&2 &>b >|c <>d", "<a>><b>><c>><d>;"},
      {"2>a b", "<b>><a>;"},
      {"a2>b", "<a2>><b>;"},
      {"(a;b)c", "(<a>;<b>;)<c>;"},
      {"a $(b $(c)) d", "((<c>;)<b><$(c)>;)<a><$(b $(c))><d>;"},
      {"a `b \\`c\\``", "((<c>;)<b><$(c)>;)<a><$(b `c`)>;"},
      {"a \"$(b \"c d\")\"", "(<b><c d>;)<a><$(b \"c d\")>;"},
      {"a <(b) c", "(<b>;)<a><$(b)><c>;"},
      {"a $((1 + (2))) b", "<a><$()><b>;"},
      {"((x++)); a", "<a>;"},
      {"f() { a; }", "<f>;<{><a>;<}>;"},
      {"a <<E\nb\nE\nc", "<a>{b\n};<c>;"},
      {"a <<'E' | b\n$x\nE", "<a>{$x\n};<b>;"},
      {"a <<-E\n\tb\n\tE\nc", "<a>{b\n};<c>;"},
      {"a <<A <<B\n1\nA\n2\nB\n", "<a>{1\n}{2\n};"},
      {"a <<<b", "<a>w<b>;"},
      {"a \\\n b", "<a><b>;"},
      {"a 'b", "<a><b>;"},
      {"a \"b", "<a><b>;"},
      {"a $(b", "(<b>;)<a><$(b)>;"},
      {"a )b", "<b>;"},
      {"case x in\n a) b;;\nesac", "<case><x><in>;<b>;<esac>;"},
      {"a\\", "<a>;"},
      {"a $", "<a><$>;"},
      {"x=(a b)", "<for><x><in><a><b>;"},
      {"x+=(a\n b) c", "<for><x><in><a><b>;<c>;"},
      {"${x[@]} ${x[*]}", "<$x><$x>;"},
  };
  for (const row& line : table) {
    CAPTURE(std::string(line.text));
    CHECK(shown(std::string(line.text)) == std::string(line.parts));
  }
}

TEST_CASE("commands of one pipe have one number") {
  const shell_script script = parse_shell("a | b; c | d");
  REQUIRE(script.steps.size() == 4);
  CHECK(script.steps[0].pipeline == script.steps[1].pipeline);
  CHECK(script.steps[2].pipeline == script.steps[3].pipeline);
  CHECK(script.steps[1].pipeline != script.steps[2].pipeline);
}

TEST_CASE("nesting that nobody writes ends") {
  for (const char* part : {"$(", "`", "\"$(", "(", "${", "<(", "((", "\\`"}) {
    std::string text;
    for (int times = 0; times < 20000; ++times) {
      text += part;
    }
    CAPTURE(part);
    CHECK(parse_shell(text).steps.size() <= text.size() + 1);
  }
}
