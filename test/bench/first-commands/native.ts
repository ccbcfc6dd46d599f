import { type FirstCommand, file } from "./first-command.ts";

const C_PROGRAM = file("main.c", "#include <stdio.h>", 'int main(void) { puts("built"); return 0; }');
const CARGO_PROJECT = file(
	"src/main.rs",
	"fn main() { assert_eq!(dep::one(), 1); }",
	"#[test] fn one() { assert_eq!(dep::one(), 1); }",
);
const CARGO_MANIFEST = ["[package]", 'name = "project"', 'version = "0.1.0"', 'edition = "2021"', "[dependencies]"];
const DEP_CRATE = (folder: string) =>
	file(`${folder}/src/lib.rs`, "pub fn one() -> u32 { 1 }") +
	file(`${folder}/Cargo.toml`, "[package]", 'name = "dep"', 'version = "0.1.0"', 'edition = "2021"');

export const NATIVE_COMMANDS: readonly FirstCommand[] = [
	{
		toolchain: "Cargo with rustup, dependency in ~/.cargo",
		version: "cargo --version | cut -d' ' -f1,2",
		prepare: `rm -rf ~/dep-crate && ${DEP_CRATE("~/dep-crate")} (cd ~/dep-crate && git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm one)
			${CARGO_PROJECT} { ${file("Cargo.toml", ...CARGO_MANIFEST)} }
			echo "dep = { git = \\"file://$HOME/dep-crate\\" }" >> Cargo.toml && cargo fetch`,
		command: "cargo build && cargo test",
	},
	{
		toolchain: "Cargo, vendored dependency",
		version: "cargo --version | cut -d' ' -f1,2",
		prepare: `${CARGO_PROJECT}${DEP_CRATE("vendor/dep")}${file("Cargo.toml", ...CARGO_MANIFEST, 'dep = "0.1"')}
			echo '{"files":{}}' > vendor/dep/.cargo-checksum.json
			${file(".cargo/config.toml", "[source.crates-io]", 'replace-with = "vendored"', "[source.vendored]", 'directory = "vendor"')}`,
		command: "cargo test --offline",
	},
	{
		toolchain: "Go",
		version: "go version | cut -d' ' -f3",
		prepare:
			file("go.mod", "module example.org/project", "go 1.19") +
			file("main.go", "package main", "func main() { println(one()) }", "func one() int { return 1 }") +
			file(
				"main_test.go",
				"package main",
				'import "testing"',
				"func TestOne(t *testing.T) { if one() != 1 { t.Fail() } }",
			),
		command: "go build ./... && go test ./... && go vet ./...",
	},
	{
		toolchain: "Go, module in ~/go/pkg/mod",
		version: "go version | cut -d' ' -f3",
		prepare: `P=$PWD/proxy/example.org/dep/@v D=src/example.org/dep@v1.0.0 && mkdir -p $P $D
			printf 'module example.org/dep\\n' | tee $P/v1.0.0.mod > $D/go.mod && echo 'package dep; func One() int { return 1 }' > $D/dep.go
			echo '{"Version":"v1.0.0"}' > $P/v1.0.0.info && echo v1.0.0 > $P/list
			(cd src && /usr/bin/python3 -c "import zipfile, sys; z = zipfile.ZipFile(sys.argv[1], 'w'); [z.write('example.org/dep@v1.0.0/' + name) for name in ('go.mod', 'dep.go')]" $P/v1.0.0.zip) && rm -r src
			${file("go.mod", "module example.org/project", "go 1.19", "require example.org/dep v1.0.0")}
			${file("main.go", "package main", 'import "example.org/dep"', "func main() { println(dep.One()) }")}
			GOPROXY=file://$PWD/proxy GONOSUMDB='*' GOFLAGS=-mod=mod go build && rm -rf proxy project`,
		command: "go build ./... && go run .",
	},
	{
		toolchain: "Make",
		version: "make --version | head -1",
		prepare: `${C_PROGRAM}${file("Makefile", "all: main", "\t./main")}`,
		command: "make",
	},
	{
		toolchain: "CMake and CTest",
		version: "cmake --version | head -1",
		prepare: `${C_PROGRAM}${file("CMakeLists.txt", "cmake_minimum_required(VERSION 3.13)", "project(project C)", "enable_testing()", "add_executable(main main.c)", "add_test(NAME main COMMAND main)")}`,
		command: "cmake -B build && cmake --build build && ctest --test-dir build",
	},
	{
		toolchain: "ccache",
		version: "ccache --version | head -1",
		prepare: `${C_PROGRAM} ccache gcc -c main.c && rm main.o`,
		command: "ccache gcc -c main.c && ccache gcc -O2 -c main.c",
	},
	{
		toolchain: "Meson and Ninja",
		version: "meson --version",
		prepare: `${C_PROGRAM}${file("meson.build", "project('project', 'c')", "test('main', executable('main', 'main.c'))")}`,
		command: "meson setup build && meson test -C build",
	},
];
