/** One first command of a toolchain, as `test/bench/toolchains.ts` tried it. */
type Tried = readonly [toolchain: string, version: string, command: string, result: string];

const WORKS = "works";
const NEW_PACKAGE =
	"works after one approval, to leave the sandbox: it must be fetched; without one when the network is on";

const TRIED: readonly Tried[] = [
	["Node.js in `~/.nvm`", "24.21.0", "node --test", WORKS],
	["npm, from its cache", "11.21.1", "npm ci && npm test", WORKS],
	["npm, with a new package", "11.21.1", "npm install is-odd", NEW_PACKAGE],
	[
		"npx, from its cache",
		"11.21.1",
		"npx --offline semver 1.2.3",
		"works after one approval, to leave the sandbox: npm writes to its cache even to look something up there",
	],
	["pnpm, installed project", "12.18.0", "pnpm test", WORKS],
	["pnpm, from its store", "12.18.0", "pnpm install --offline && pnpm test", WORKS],
	[
		"pnpm, with a new package",
		"12.18.0",
		"pnpm add is-even",
		"works after one approval, to leave the sandbox: it must be fetched, and a project stays with the store it began with",
	],
	["Yarn 1, installed project", "1.22.22", "yarn test", WORKS],
	[
		"Yarn 1, from its cache",
		"1.22.22",
		"yarn install --offline",
		"works after one approval, to leave the sandbox: Yarn 1 uses no cache that it cannot write",
	],
	["Yarn 1, with a new package", "1.22.22", "yarn add is-even", NEW_PACKAGE],
	["Yarn 4, from its cache", "4.18.1", "yarn install --immutable && yarn test", WORKS],
	["Bun, from its cache", "1.4.4", "bun install && bun run test", WORKS],
	["Bun, its tests", "1.4.4", "bun test", WORKS],
	["Bun, with a new package", "1.4.4", "bun add is-even", NEW_PACKAGE],
	["Deno, from its cache", "2.9.5", "deno run main.ts", WORKS],
	["Deno, its tests", "2.9.5", "deno test", WORKS],
	["Deno, with a new package", "2.9.5", "deno run main.ts", NEW_PACKAGE],
	["Corepack, from its cache", "0.34.7", "corepack yarn --version", WORKS],
	["Python in `~/.pyenv`", "3.12.1", "python3 -m unittest", WORKS],
	["pip, wheels in the project", "23.2.1", "python3 -m venv .venv && .venv/bin/pip install --no-index …", WORKS],
	["virtualenv in the project", "20.17.1", ". .venv/bin/activate && python -m unittest", WORKS],
	["virtualenv in `~/.virtualenvs`", "20.17.1", "~/.virtualenvs/project/bin/python -m unittest", WORKS],
	["pipx", "1.1.0", "a program in `~/.local/bin`", WORKS],
	["Poetry, environment in `~/.cache/pypoetry`", "1.3.2", "poetry run python -m unittest", WORKS],
	["uv", "–", "uv run python -m unittest", "not tried: not to be had here; its cache is led to where it can write"],
	["Cargo with rustup, dependency in `~/.cargo`", "1.95.0", "cargo build && cargo test", WORKS],
	["Cargo, vendored dependency", "1.95.0", "cargo test --offline", WORKS],
	["Go", "1.19.8", "go build ./... && go test ./... && go vet ./...", WORKS],
	["Go, module in `~/go/pkg/mod`", "1.19.8", "go build ./... && go run .", WORKS],
	["Make", "4.3", "make", WORKS],
	["CMake and CTest", "3.25.1", "cmake -B build && cmake --build build && ctest --test-dir build", WORKS],
	["ccache", "4.7.5", "ccache gcc -c main.c", WORKS],
	["Meson and Ninja", "1.0.1", "meson setup build && meson test -C build", WORKS],
	["JDK", "17.0.20", "javac -d out Main.java && java -cp out Main", WORKS],
	["Maven, repository in `~/.m2`", "3.8.7", "mvn -o package", WORKS],
	[
		"Maven, installing",
		"3.8.7",
		"mvn -o install",
		"works after one approval, to leave the sandbox: it writes to `~/.m2`, which it is for",
	],
	["Gradle", "4.4.1", "gradle --offline build", WORKS],
	["Ant", "1.10.13", "ant", WORKS],
	[".NET", "–", "dotnet build", "not tried: not to be had here"],
	["Bundler, gem in `~/.local/share/gem`", "2.3.15", "bundle install --local && bundle exec rake", WORKS],
	["Composer, package in `~/.cache/composer`", "2.5.5", "composer install", WORKS],
	["PHP", "8.2.35", "php main.php", WORKS],
	["Mix", "1.14.0", "mix test", WORKS],
	["rebar3", "3.19.0", "rebar3 eunit", WORKS],
	["Perl, module in `~/perl5`", "5.36.0", "perl main.pl", WORKS],
	["Git with `~/.gitconfig`", "2.39.5", "git status; git log", WORKS],
];

/** The part of the page about platforms that says what work looks like with the home folder closed. */
export const TOOLCHAINS_PART: readonly string[] = [
	"## First commands of toolchains",
	"",
	"Tried on 2026-11-16 by an ordinary user on Debian 12 (arm64), with the default settings: only what work needs is open in the home folder, only the workspace is writable, and the network is off. Toolchains and caches were below the home folder where people usually install them there, otherwise Debian's. Each command also works outside the sandbox. `node test/bench/toolchains.ts` tries them again; it fills caches in your home folder.",
	"",
	"| Toolchain | Version | First command | Result |",
	"| --- | --- | --- | --- |",
	...TRIED.map(
		([toolchain, version, command, result]) =>
			`| ${toolchain} | ${version} | ${command.includes("`") ? command : `\`${command}\``} | ${result} |`,
	),
	"",
	"- **Caches.** What a tool must write to build (Go, Gradle, ccache, pip, uv, .NET) goes to the thread's temporary files. What was fetched earlier is read where you have it; with the network on, what a tool fetches goes to the thread's temporary files as well. A variable such as `GOCACHE` that you have set is used if commands may write there.",
	"- **Without the network**, npm and pnpm fail at once instead of after a minute.",
	"- **Gradle** reads dependencies in `~/.gradle` from version 6.1 on, which was not tried. Its wrapper was not tried either: it looks for Gradle itself where it can write, so it needs the network or an approval to leave the sandbox.",
	"- **Settings in closed files** do not count: `~/.npmrc`, `~/.m2/settings.xml`, `~/.config/pip/pip.conf` and the like may hold passwords. Name one in `vitrine.permissions.filesystem` to open it.",
	"- **Git** calls that write (`git add`, `git commit`, …) need an approval of their own.",
];
