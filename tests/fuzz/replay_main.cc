// Stands in for libFuzzer in an ordinary build: gives every seed of a directory to the target. A target
// without seeds proves nothing, so that is a failure.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// A target may have one, to prepare its process.
extern "C" [[gnu::weak]] int LLVMFuzzerInitialize(int* argc, char*** argv);

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  if (LLVMFuzzerInitialize != nullptr) (void)LLVMFuzzerInitialize(&argc, &argv);
  std::vector<std::filesystem::path> seeds;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1], error)) seeds.push_back(entry.path());
  std::ranges::sort(seeds);
  for (const auto& seed : seeds) {
    std::printf("%s\n", seed.filename().c_str());
    std::fflush(stdout);
    std::ifstream file(seed, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    (void)LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  // Nothing at all, which every parser has to bear.
  (void)LLVMFuzzerTestOneInput(nullptr, 0);
  std::printf("%zu seeds\n", seeds.size());
  return seeds.empty() ? 1 : 0;
}
