// Own code for containers, pictures and checksums beside libraries that do the same (D081):
//   own_against_libraries FILE.npz FILE.tar.gz [REPETITIONS]
// Each line: subject, code, the least milliseconds of CPU time of all repetitions, which take
// turns, and bytes. All contenders run in one thread.
// SPDX-License-Identifier: BSD-3-Clause
#include <archive.h>
#include <archive_entry.h>
#include <libdeflate.h>
#include <lodepng.h>
#include <minizip/unzip.h>
#include <png.h>
#include <spng.h>
#include <xxhash.h>
#include <zip.h>
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kauri/extras/io.hpp"
#include "src/io/content/tar.hpp"
#include "src/io/file/file.hpp"
#include "src/io/packed/gunzip.hpp"
#include "src/io/packed/zip.hpp"
#include "src/picture/png.hpp"

namespace {

using kauri::io::Allowance;

[[noreturn]] void stop(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

struct Contender {
  const char* name;
  std::function<std::size_t()> run;  ///< returns bytes
};

void race(const char* subject, int repetitions, const std::vector<Contender>& contenders) {
  std::vector<double> best(contenders.size(), std::numeric_limits<double>::infinity());
  std::vector<std::size_t> bytes(contenders.size());
  for (int r = 0; r < repetitions; ++r)
    for (std::size_t k = 0; k < contenders.size(); ++k) {
      const std::clock_t begin = std::clock();
      bytes[k] = contenders[k].run();
      const double passed = 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      best[k] = std::min(best[k], passed);
    }
  for (std::size_t k = 0; k < contenders.size(); ++k)
    std::printf("%-28s %-22s %10.2f ms %12zu bytes\n", subject, contenders[k].name, best[k],
                bytes[k]);
}

// Archives

std::size_t own_zip(std::string_view bytes) {
  Allowance allowance;
  const kauri::io::ZipArchive archive(bytes, "", allowance);
  std::size_t size = 0;
  for (const auto& [name, member] : archive.members())
    size += archive.extract(std::string(name)).size();
  return size;
}

std::size_t with_libzip(std::string_view bytes) {
  zip_error_t error;
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  zip_t* archive = zip_open_from_source(source, ZIP_RDONLY, &error);
  if (archive == nullptr) stop("libzip");
  std::size_t size = 0;
  for (zip_int64_t k = 0; k < zip_get_num_entries(archive, 0); ++k) {
    zip_stat_t about;
    zip_stat_index(archive, static_cast<zip_uint64_t>(k), 0, &about);
    std::string out(about.size, '\0');
    zip_file_t* member = zip_fopen_index(archive, static_cast<zip_uint64_t>(k), 0);
    if (zip_fread(member, out.data(), out.size()) != static_cast<zip_int64_t>(out.size()))
      stop("libzip: a member");
    zip_fclose(member);
    size += out.size();
  }
  zip_close(archive);
  return size;
}

std::size_t with_minizip(const char* path) {
  unzFile archive = unzOpen64(path);
  std::size_t size = 0;
  for (int code = unzGoToFirstFile(archive); code == UNZ_OK; code = unzGoToNextFile(archive)) {
    unz_file_info64 about;
    unzGetCurrentFileInfo64(archive, &about, nullptr, 0, nullptr, 0, nullptr, 0);
    std::string out(about.uncompressed_size, '\0');
    unzOpenCurrentFile(archive);
    if (unzReadCurrentFile(archive, out.data(), static_cast<unsigned>(out.size())) !=
        static_cast<int>(out.size()))
      stop("minizip: a member");
    unzCloseCurrentFile(archive);
    size += out.size();
  }
  unzClose(archive);
  return size;
}

std::size_t with_libarchive(std::string_view bytes) {
  archive* a = archive_read_new();
  archive_read_support_format_zip(a);
  archive_read_support_format_tar(a);
  archive_read_support_filter_gzip(a);
  if (archive_read_open_memory(a, bytes.data(), bytes.size()) != ARCHIVE_OK) stop("libarchive");
  std::size_t size = 0;
  archive_entry* entry = nullptr;
  while (archive_read_next_header(a, &entry) == ARCHIVE_OK) {
    std::string out(static_cast<std::size_t>(archive_entry_size(entry)), '\0');
    if (archive_read_data(a, out.data(), out.size()) != static_cast<la_ssize_t>(out.size()))
      stop("libarchive: a member");
    size += out.size();
  }
  archive_read_free(a);
  return size;
}

/// The own directory, and libdeflate in place of zlib.
std::size_t own_zip_with_libdeflate(std::string_view bytes) {
  Allowance allowance;
  const kauri::io::ZipArchive archive(bytes, "", allowance);
  libdeflate_decompressor* d = libdeflate_alloc_decompressor();
  std::size_t size = 0;
  for (const auto& [name, member] : archive.members()) {
    const auto length = [&](std::size_t at) {
      const auto* place = reinterpret_cast<const unsigned char*>(bytes.data() + member.header + at);
      return std::size_t{place[0]} + (std::size_t{place[1]} << 8);
    };
    const char* data = bytes.data() + member.header + 30 + length(26) + length(28);
    std::string out(member.size, '\0');
    if (member.method == 0)
      out.assign(data, member.size);
    else if (libdeflate_deflate_decompress(d, data, member.compressed, out.data(), out.size(),
                                           nullptr) != LIBDEFLATE_SUCCESS)
      stop("libdeflate: a member");
    if (libdeflate_crc32(0, out.data(), out.size()) != member.crc) stop("libdeflate: a checksum");
    size += out.size();
  }
  libdeflate_free_decompressor(d);
  return size;
}

std::size_t own_tar(std::string_view bytes) {
  Allowance allowance;
  kauri::io::TarWatch watch("a.tar.gz", "", std::numeric_limits<std::size_t>::max() / 8);
  const kauri::io::Bytes tar = kauri::io::gunzip(bytes, "a.tar.gz", allowance.left(),
                                                 [&](std::string_view so_far) { watch(so_far); });
  std::size_t size = 0;
  for (const auto& member : kauri::io::tar_members(tar, "a.tar.gz", allowance))
    size += member.bytes.size();
  return size;
}

/// Inflates one gzip member, whose size is known.
std::size_t with_libdeflate(std::string_view bytes, std::size_t known) {
  std::string out(known, '\0');
  libdeflate_decompressor* d = libdeflate_alloc_decompressor();
  if (libdeflate_gzip_decompress(d, bytes.data(), bytes.size(), out.data(), out.size(), nullptr) !=
      LIBDEFLATE_SUCCESS)
    stop("libdeflate");
  libdeflate_free_decompressor(d);
  return out.size();
}

/// Gzip of `members` members that all hold `piece`, as bgzip and pigz -i write it.
std::string many_members(int members, std::string_view piece) {
  std::string one(libdeflate_gzip_compress_bound(nullptr, piece.size()), '\0');
  libdeflate_compressor* c = libdeflate_alloc_compressor(6);
  one.resize(libdeflate_gzip_compress(c, piece.data(), piece.size(), one.data(), one.size()));
  libdeflate_free_compressor(c);
  std::string all;
  for (int k = 0; k < members; ++k) all += one;
  return all;
}

/// All members of gzip data, by libarchive's filter alone.
std::size_t with_libarchive_raw(std::string_view bytes) {
  archive* a = archive_read_new();
  archive_read_support_format_raw(a);
  archive_read_support_filter_gzip(a);
  archive_entry* entry = nullptr;
  if (archive_read_open_memory(a, bytes.data(), bytes.size()) != ARCHIVE_OK ||
      archive_read_next_header(a, &entry) != ARCHIVE_OK)
    stop("libarchive: raw");
  std::string out, piece(std::size_t{1} << 16, '\0');
  for (la_ssize_t got = 0; (got = archive_read_data(a, piece.data(), piece.size())) > 0;)
    out.append(piece, 0, static_cast<std::size_t>(got));
  archive_read_free(a);
  return out.size();
}

// Pictures

using kauri::picture::Image;

/// An image as `kauri spy` makes it: dots of a few shades; or of `colours` random colours.
Image image_of(int size, int colours) {
  std::mt19937_64 random(1);
  std::vector<kauri::picture::Colour> palette;
  for (int k = 0; k < colours; ++k) {
    const auto bits = static_cast<std::uint32_t>(random());
    palette.push_back({static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8),
                       static_cast<std::uint8_t>(bits >> 16), 255});
  }
  Image image(size, size, palette[0]);
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x)
      if (std::abs(x - y) % 61 < 3 || random() % 50 == 0)
        image.at(x, y) = palette[random() % palette.size()];
  return image;
}

void append(png_structp png, png_bytep bytes, png_size_t size) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<char*>(bytes), size);
}

std::uint32_t key(kauri::picture::Colour c) {
  return std::uint32_t{c.red} << 24 | std::uint32_t{c.green} << 16 | std::uint32_t{c.blue} << 8 |
         c.opacity;
}

/// libpng writes the image: four bytes a pixel or numbers of a palette, at zlib's best level.
std::size_t with_libpng(const Image& image, int palette) {
  std::unordered_map<std::uint32_t, unsigned char> number;
  std::string out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  if (setjmp(png_jmpbuf(png)) != 0) stop("libpng");
  png_set_write_fn(png, &out, append, nullptr);
  png_set_compression_level(png, 9);
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width),
               static_cast<png_uint_32>(image.height), 8,
               palette > 0 ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  std::vector<png_color> colours(static_cast<std::size_t>(palette));
  if (palette > 0) png_set_PLTE(png, info, colours.data(), palette);
  png_write_info(png, info);
  std::vector<unsigned char> row(4 * static_cast<std::size_t>(image.width));
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const auto c = image.at(x, y);
      const auto at = static_cast<std::size_t>(x);
      if (palette > 0)
        row[at] = number.emplace(key(c), static_cast<unsigned char>(number.size())).first->second;
      else
        row[4 * at] = c.red, row[4 * at + 1] = c.green, row[4 * at + 2] = c.blue,
                row[4 * at + 3] = c.opacity;
    }
    png_write_row(png, row.data());
  }
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return out.size();
}

/// Numbers of a palette as png.cpp lays them out, compressed by libdeflate at its level `level`.
std::size_t deflated_by_libdeflate(const Image& image, int level) {
  std::unordered_map<std::uint32_t, char> number;
  std::string data;
  for (int y = 0; y < image.height; ++y) {
    data += '\0';
    for (int x = 0; x < image.width; ++x)
      data += number.emplace(key(image.at(x, y)), static_cast<char>(number.size())).first->second;
  }
  std::string out(libdeflate_zlib_compress_bound(nullptr, data.size()), '\0');
  libdeflate_compressor* c = libdeflate_alloc_compressor(level);
  const std::size_t size =
      libdeflate_zlib_compress(c, data.data(), data.size(), out.data(), out.size());
  libdeflate_free_compressor(c);
  return size;
}

std::vector<unsigned char> bytes_of(const Image& image) {
  std::vector<unsigned char> bytes;
  for (const auto c : image.pixel) bytes.insert(bytes.end(), {c.red, c.green, c.blue, c.opacity});
  return bytes;
}

std::size_t with_spng(const Image& image) {
  const std::vector<unsigned char> bytes = bytes_of(image);
  spng_ctx* context = spng_ctx_new(SPNG_CTX_ENCODER);
  spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1);
  spng_set_option(context, SPNG_IMG_COMPRESSION_LEVEL, 9);
  spng_ihdr head{};
  head.width = static_cast<std::uint32_t>(image.width);
  head.height = static_cast<std::uint32_t>(image.height);
  head.color_type = SPNG_COLOR_TYPE_TRUECOLOR_ALPHA, head.bit_depth = 8;
  spng_set_ihdr(context, &head);
  if (spng_encode_image(context, bytes.data(), bytes.size(), SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE) !=
      0)
    stop("spng");
  std::size_t size = 0;
  int error = 0;
  std::free(spng_get_png_buffer(context, &size, &error));
  spng_ctx_free(context);
  return size;
}

/// Chooses palette and filters itself.
std::size_t with_lodepng(const Image& image) {
  const std::vector<unsigned char> bytes = bytes_of(image);
  std::vector<unsigned char> out;
  if (lodepng::encode(out, bytes, static_cast<unsigned>(image.width),
                      static_cast<unsigned>(image.height)) != 0)
    stop("lodepng");
  return out.size();
}

void race_pictures(int repetitions) {
  for (const int colours : {2, 24, 5000}) {
    const Image image = image_of(2000, colours);
    const std::string subject = "PNG 2000x2000, " + std::to_string(colours) + " colours";
    std::vector<Contender> contenders{{"own", [&] { return kauri::picture::to_png(image).size(); }},
                                      {"libpng, RGBA", [&] { return with_libpng(image, 0); }},
                                      {"libspng, RGBA", [&] { return with_spng(image); }},
                                      {"lodepng", [&] { return with_lodepng(image); }}};
    if (colours <= 256) {
      contenders.push_back({"libpng, palette", [&] { return with_libpng(image, colours); }});
      for (const int level : {6, 9})
        contenders.push_back({level == 6 ? "libdeflate 6" : "libdeflate 9",
                              [&, level] { return deflated_by_libdeflate(image, level); }});
    }
    race(subject.c_str(), repetitions, contenders);
  }
}

// Checksums

void race_checksums(int repetitions) {
  const std::string data(std::size_t{256} << 20, 'k');
  const auto bytes = [&](std::uint64_t sum) { return sum == 1 ? 0 : data.size(); };
  race(
      "checksum of 256 MB", repetitions,
      {{"CRC-32, zlib",
        [&] {
          return bytes(crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()));
        }},
       {"CRC-32, libdeflate", [&] { return bytes(libdeflate_crc32(0, data.data(), data.size())); }},
       {"XXH64", [&] { return bytes(XXH64(data.data(), data.size(), 0)); }},
       {"XXH3, 64 bits", [&] { return bytes(XXH3_64bits(data.data(), data.size())); }}});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) stop("usage: own_against_libraries FILE.npz FILE.tar.gz [REPETITIONS]");
  const int repetitions = argc > 3 ? std::atoi(argv[3]) : 5;
  Allowance allowance;
  const kauri::io::Bytes zip = kauri::io::read_file(argv[1], allowance),
                         tar = kauri::io::read_file(argv[2], allowance);
  race("zip", repetitions,
       {{"whole read",
         [&] {
           kauri::read_matrix(argv[1], 1);
           return zip.size();
         }},
        {"own", [&] { return own_zip(zip); }},
        {"own with libdeflate", [&] { return own_zip_with_libdeflate(zip); }},
        {"libzip", [&] { return with_libzip(zip); }},
        {"minizip", [&] { return with_minizip(argv[1]); }},
        {"libarchive", [&] { return with_libarchive(zip); }}});
  const std::size_t unpacked = kauri::io::gunzip(tar, argv[2]).size();
  race("tar.gz", repetitions,
       {{"whole read",
         [&] {
           kauri::read_matrix(argv[2], 1);
           return tar.size();
         }},
        {"own", [&] { return own_tar(tar); }},
        {"libarchive", [&] { return with_libarchive(tar); }},
        {"libdeflate, gzip alone", [&] { return with_libdeflate(tar, unpacked); }}});
  std::string piece;
  std::mt19937_64 random(2);
  while (piece.size() < 60000) piece += std::to_string(random() % 100000) + " ";
  const std::string many = many_members(1000, piece);
  race("gzip of 1000 members", repetitions,
       {{"own", [&] { return kauri::io::gunzip(many, "a.gz").size(); }},
        {"libarchive", [&] { return with_libarchive_raw(many); }}});
  race_pictures(repetitions);
  race_checksums(repetitions);
}
