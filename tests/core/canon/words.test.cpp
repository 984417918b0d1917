#include "core/canon/words.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace resilient::canon;

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

struct row {
  const char* what;
  std::string text;
  const char* words;
};

} // namespace

TEST_CASE("the ranking weighs ASCII words of four characters and more") {
  const std::vector<row> table{
      {"words are lower-cased and keep their order", "Beta ALPHA gamma", "beta alpha gamma"},
      {"repetitions count", "alpha alpha", "alpha alpha"},
      {"three characters are too short", "api sql key keys", "keys"},
      {"digits count", "2026 142 x1234", "2026 x1234"},
      {"a word may hold an underscore", "max_chars", "max_chars"},
      {"outer underscores are dropped", "__init__ _abc_ ___", "init"},
      {"everything else separates", "src/core-config.test", "core config test"},
      {"letters beyond ASCII separate", "größe überraschung", "berraschung"},
      {"stop words are dropped in any case", "About WHICH should remain cannot", "remain"},
      {"a stop word is only the whole word", "abouts __about__ wherever", "abouts wherever"},
      {"nothing gives nothing", "", ""},
      {"invalid bytes separate",
       "alpha\xff\xfe"
       "beta\x80",
       "alpha beta"},
      {"NUL separates", std::string("alpha\0beta", 10), "alpha beta"},
  };
  for (const row& line : table) {
    CAPTURE(line.what);
    CHECK(joined(words_of(line.text, word_choice::ranking)) == line.words);
  }
}

TEST_CASE("the search also takes short words and words of any script") {
  const std::vector<row> table{
      {"two and three characters count", "API sql 42 x", "api sql 42"},
      {"long ASCII words as in the ranking", "__init__ About max_chars", "init max_chars"},
      {"marks and letters of any script", "größe ЁЛКА naïve", "grösse ёлка naïve"},
      {"composed and decomposed are the same word", "cafe\u0301 caf\u00E9", "café café"},
      {"full-width forms are the same word", "ＡＰＩ", "api"},
      {"Han counts by pairs", "配置文件", "配置 置文 文件"},
      {"a single Han character counts", "配", "配"},
      {"kana joins Han", "設定する", "設定 定す する"},
      {"Hangul counts by pairs", "설정값", "설정 정값"},
      {"the script may change within a run", "API配置v2", "api 配置 v2"},
      {"half-width kana compare as kana", "ｶﾀｶﾅ", "カタ タカ カナ"},
      {"invisible characters do not split", "so\u00ADft\u200Dly", "softly"},
      {"an emoji is no word", "❤️ 👩‍👩‍👧 ok", "ok"},
      {"a lone letter beyond ASCII is too short", "é ж", ""},
      {"a dash beyond ASCII separates", "config—files “quoted”", "config files quoted"},
      {"Thai runs are one word", "การ", "การ"},
      {"a mark belongs to its word", "हिन्दी", "हिन्दी"},
      {"invalid bytes separate",
       "al\xff"
       "pha\xe4\xb8",
       "al pha"},
      {"a byte order mark is not part of a word",
       "\xEF\xBB\xBF"
       "api",
       "api"},
      {"nothing gives nothing", "", ""},
  };
  for (const row& line : table) {
    CAPTURE(line.what);
    CHECK(joined(words_of(line.text, word_choice::search)) == line.words);
  }
}

TEST_CASE("every ranking word that is not part of a longer word is a search word") {
  const std::string text = "Resolution order is defaults, then config.toml, then ENV_VARS of v1.2.";
  const auto wide = words_of(text, word_choice::search);
  for (const std::string& word : words_of(text, word_choice::ranking)) {
    CAPTURE(word);
    CHECK(std::find(wide.begin(), wide.end(), word) != wide.end());
  }
}

TEST_CASE("a question counts each word once and drops the commonest short ones") {
  CHECK(joined(question_words("the API of the api", word_choice::search)) == "api");
  CHECK(joined(question_words("who is it", word_choice::search)) == "who is it");
  CHECK(joined(question_words("alpha beta alpha", word_choice::ranking)) == "alpha beta");
  CHECK(joined(question_words("配置配置", word_choice::search)) == "配置 置配");
}
