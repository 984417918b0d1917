#include "core/canon/word_index.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace resilient::canon;

namespace {

std::map<std::string, double> scores(const word_index& index, const std::vector<std::string>& names,
                                     const std::string& question) {
  std::map<std::string, double> by_name;
  for (const word_index::hit& hit : index.rank(question)) {
    by_name[names.at(hit.which)] = hit.score;
  }
  return by_name;
}

/// The definition, term by term, over plain word lists.
std::vector<double> by_definition(const std::vector<std::vector<std::string>>& documents,
                                  const std::vector<std::string>& question) {
  double total = 0;
  for (const auto& document : documents) {
    total += static_cast<double>(document.size());
  }
  const auto count = static_cast<double>(documents.size());
  std::vector<double> sums(documents.size());
  double ceiling = 0;
  for (const std::string& word : question) {
    double holders = 0;
    for (const auto& document : documents) {
      holders += std::count(document.begin(), document.end(), word) > 0 ? 1 : 0;
    }
    if (holders == 0) {
      continue;
    }
    const double weight = std::log(1 + (count - holders + 0.5) / (holders + 0.5));
    ceiling += weight * 2.5;
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const auto times =
          static_cast<double>(std::count(documents[i].begin(), documents[i].end(), word));
      sums[i] +=
          weight * times * 2.5
          / (times
             + 1.5 * (0.25 + 0.75 * static_cast<double>(documents[i].size()) / (total / count)));
    }
  }
  for (double& sum : sums) {
    sum = ceiling > 0 ? sum / ceiling : 0;
  }
  return sums;
}

} // namespace

TEST_CASE("scores are the figures that the surfacing defaults were measured with") {
  const std::vector<std::string> names{"a", "b", "c"};
  word_index index{word_choice::ranking};
  index.add({"a", "", "alpha beta alpha gamma delta"});
  index.add({"b", "", "beta beta gamma"});
  index.add({"c", "", "omega delta"});
  struct row {
    const char* question;
    std::map<std::string, double> scores;
  };
  const std::vector<row> table{
      {"alpha", {{"a", 0.492308}}},
      {"beta", {{"a", 0.326531}, {"b", 0.590406}}},
      {"alpha beta", {{"a", 0.438603}, {"b", 0.191265}}},
      {"gamma delta omega", {{"a", 0.159796}, {"b", 0.102487}, {"c", 0.368446}}},
      {"alpha zzzz", {{"a", 0.492308}}},
      {"Alpha ALPHA alpha", {{"a", 0.492308}}},
      {"zzzz", {}},
      {"", {}},
      {"the of about", {}},
  };
  for (const row& line : table) {
    CAPTURE(line.question);
    const auto found = scores(index, names, line.question);
    REQUIRE(found.size() == line.scores.size());
    for (const auto& [name, score] : line.scores) {
      CHECK(found.at(name) == doctest::Approx(score).epsilon(0.000002));
    }
  }
}

TEST_CASE("an empty index answers nothing") {
  const word_index index{word_choice::ranking};
  CHECK(index.rank("alpha").empty());
  CHECK(index.size() == 0);
}

TEST_CASE("a removed document counts for nothing") {
  word_index with{word_choice::ranking};
  with.add({"alpha beta alpha gamma delta"});
  const auto gone = with.add({"omega alpha alpha alpha"});
  with.add({"beta beta gamma"});
  with.remove(gone);
  with.remove(gone);
  word_index without{word_choice::ranking};
  without.add({"alpha beta alpha gamma delta"});
  without.add({"beta beta gamma"});
  CHECK(with.size() == 2);
  for (const char* question : {"alpha", "beta", "omega", "alpha omega gamma"}) {
    CAPTURE(question);
    const auto left = with.rank(question);
    const auto right = without.rank(question);
    REQUIRE(left.size() == right.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
      CHECK(left[i].score == doctest::Approx(right[i].score));
    }
  }
}

TEST_CASE("a ranking of articles does not notice the journal, a ranking of everything does") {
  word_index mixed{word_choice::ranking};
  mixed.add({"alpha beta alpha gamma delta"});
  mixed.add({"alpha beta omega"}, word_index::group::journal);
  mixed.add({"beta beta gamma"});
  word_index articles{word_choice::ranking};
  articles.add({"alpha beta alpha gamma delta"});
  articles.add({"beta beta gamma"});
  word_index everything{word_choice::ranking};
  everything.add({"alpha beta alpha gamma delta"});
  everything.add({"alpha beta omega"});
  everything.add({"beta beta gamma"});
  const auto total = [](const std::vector<word_index::hit>& hits) {
    double sum = 0;
    for (const auto& hit : hits) {
      sum += hit.score;
    }
    return sum;
  };
  for (const char* question : {"alpha", "beta", "alpha gamma", "omega"}) {
    CAPTURE(question);
    CHECK(total(mixed.rank(question)) == doctest::Approx(total(articles.rank(question))));
    CHECK(total(mixed.rank(question, word_index::scope::everything))
          == doctest::Approx(total(everything.rank(question))));
  }
}

TEST_CASE("many documents with long chains score as the definition says") {
  std::mt19937 random{20261130}; // NOLINT(bugprone-random-generator-seed)
  std::vector<std::vector<std::string>> documents;
  word_index index{word_choice::ranking};
  std::vector<word_index::document> numbers;
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::string> words;
    std::string text;
    const auto length = static_cast<std::uint32_t>(random() % 40);
    for (std::uint32_t w = 0; w < length; ++w) {
      // a few words are everywhere, most are rare, some occur hundreds of times in one document
      const auto rank = static_cast<std::uint32_t>(
          std::pow(2000.0, static_cast<double>(random() % 1000) / 1000.0));
      const std::string word = "word" + std::to_string(rank);
      const std::uint32_t times = random() % 500 == 0 ? 300 : 1;
      for (std::uint32_t t = 0; t < times; ++t) {
        words.push_back(word);
        text += word + " ";
      }
    }
    numbers.push_back(index.add({text}));
    documents.push_back(std::move(words));
  }
  for (std::size_t i = documents.size(); i-- > 0;) {
    if (i % 3 == 0) {
      index.remove(numbers[i]);
      documents.erase(documents.begin() + static_cast<std::ptrdiff_t>(i));
      numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  for (const std::vector<std::string>& question : {std::vector<std::string>{"word1"},
                                                   {"word1", "word7"},
                                                   {"word1999"},
                                                   {"word3", "word400"}}) {
    const auto expected = by_definition(documents, question);
    std::string text;
    for (const auto& word : question) {
      text += word + " ";
    }
    std::map<word_index::document, double> found;
    for (const auto& hit : index.rank(text)) {
      found[hit.which] = hit.score;
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      CHECK(found[numbers[i]] == doctest::Approx(expected[i]));
    }
  }
}

TEST_CASE("words of any length are told apart, also in long documents") {
  word_index index{word_choice::search};
  std::string text;
  for (int i = 0; i < 20000; ++i) {
    text += std::string(static_cast<std::size_t>(i % 40), 'x') + std::to_string(i) + " ";
  }
  index.add({text, "abcdefghijklmnop", "abcdefghijklmnopq", "abcdefgh", "abcdefghi"});
  index.add({"other"});
  for (const int i : {0, 10, 39, 4095, 4096, 4097, 12345, 19999}) {
    const std::string word = std::string(static_cast<std::size_t>(i % 40), 'x') + std::to_string(i);
    CAPTURE(word);
    CHECK(index.rank(word).size() == (word.size() < 2 ? 0 : 1));
    CHECK(index.rank(word + "y").empty());
  }
  for (const char* word : {"abcdefghijklmnop", "abcdefghijklmnopq", "abcdefgh", "abcdefghi"}) {
    CHECK(index.rank(word).size() == 1);
  }
  for (const char* word : {"abcdefghijklmno", "abcdefghijklmnopr", "abcdefg", "abcdefghij"}) {
    CHECK(index.rank(word).empty());
  }
}

TEST_CASE("an index that lost most of its documents says that it is worn") {
  word_index index{word_choice::search};
  for (int i = 0; i < 600; ++i) {
    const auto which = index.add({"api"});
    CHECK(!index.worn());
    if (i >= 300) {
      index.remove(which);
    }
  }
  const auto one_more = index.add({"api"});
  index.remove(one_more);
  CHECK(index.worn());
}
