import { relative } from "node:path";
import { START_UP_PLACES } from "../policy/protected-names.ts";
import { foldName, isInside } from "../reach/reach.ts";

/**
 * Whether a file runs, or decides what runs, when the user builds, tests, lints, formats or commits. It needs no
 * approval, but review mentions it. The path is taken relative to the workspace folder, because some folders count as a
 * whole.
 */
export function runsWithBuild(path: string, folders: readonly string[]): boolean {
	const parts = partsBelow(foldName(path), folders.map(foldName));
	const name = parts.at(-1) ?? "";
	if (isDocument(name)) return false;
	if (NAMES.has(name) || (parts.length === 1 && TOP_NAMES.has(name))) return true;
	if (SHELL_FILES.has(name)) return false;
	return isConfiguration(name) || PATTERNS.some((pattern) => matches(pattern, name)) || isBelow(parts);
}

/** Names, and patterns with one `*`. Compared ignoring case. */
const LISTED = [
	// JavaScript and TypeScript
	"package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs",
	".pnp.cjs .pnp.loader.mjs bun.lock bun.lockb bunfig.toml deno.json deno.jsonc deno.lock tsconfig*.json jsconfig*.json *.tsconfig.json",
	"angular.json nest-cli.json nx.json project.json workspace.json turbo.json turbo.jsonc lerna.json rush.json moon.yml biome.json biome.jsonc",
	"tslint.json nodemon.json webpack.*.js webpack.*.ts webpackfile.js setuptests.* setup-tests.* setup-jest.* jest-setup.* vitest-setup.*",
	"global-setup.* globalsetup.* global-teardown.* globalteardown.* ember-cli-build.js truffle-config.js cypress.json knip.json dprint.json",
	".flowconfig oxlint.json",
	// Task runners
	"makefile gnumakefile bsdmakefile makefile.* *.mk *.mak *.make kbuild justfile .justfile *.just taskfile.* taskfile gruntfile.* gulpfile.*",
	"jakefile jakefile.* cakefile earthfile tiltfile snakefile procfile procfile.* vagrantfile tupfile tuprules.tup dodo.py fabfile.py",
	"noxfile.py magefile.go xmake.lua premake*.lua build.sh build.bash build.zsh build.fish build.ps1 build.bat build.cmd build.cjs",
	"build.mjs build.fsx build.csx *.cake make.bat make.cmd mkdocs.yml",
	// C and C++
	"cmakelists.txt *.cmake *.cmake.in cmakepresets.json cmakeuserpresets.json configure configure.ac configure.in *.m4 autogen.sh meson.build",
	"meson.options meson_options.txt *.ninja sconstruct sconscript wscript conanfile.* vcpkg.json vcpkg-configuration.json *.pro *.pri *.qbs",
	"jamfile jamroot *.jam .clang-format .clang-tidy .clangd compile_flags.txt *.gn *.gni kconfig",
	// Bazel, Buck, Pants
	"build build.bazel build.plz workspace workspace.bazel module.bazel module.bazel.lock *.bzl .bazelversion buck targets .buckconfig pants.toml",
	// Rust, Go, Zig
	"cargo.toml cargo.lock build.rs rust-toolchain rust-toolchain.toml rustfmt.toml .rustfmt.toml clippy.toml .clippy.toml deny.toml cross.toml",
	"trunk.toml nextest.toml go.mod go.sum go.work go.work.sum .golangci.* .goreleaser.* build.zig build.zig.zon",
	// Python
	"pyproject.toml setup.py setup.cfg conftest.py pytest.ini .pytest.ini tox.ini tox.toml requirements*.txt requirements*.in constraints*.txt",
	"pipfile pipfile.lock poetry.lock poetry.toml uv.lock uv.toml pdm.lock pdm.toml hatch.toml hatch_build.py pixi.toml pixi.lock environment.yml",
	"environment.yaml ruff.toml .ruff.toml .flake8 mypy.ini .mypy.ini .isort.cfg .style.yapf pyrightconfig.json sitecustomize.py usercustomize.py *.pth",
	// JVM
	"*.gradle *.gradle.kts *.gradle.dcl gradle.properties gradle.lockfile local.properties gradlew gradlew.bat gradle-wrapper.* libs.versions.toml",
	"pom.xml mvnw mvnw.cmd build.xml build.properties ivy.xml *.sbt build.sc build.mill project.clj deps.edn bb.edn build.boot build.clj",
	"shadow-cljs.edn checkstyle*.xml pmd*.xml spotbugs*.xml detekt*.yml .scalafmt.conf .scalafix.conf",
	// .NET
	"*.csproj *.fsproj *.vbproj *.vcxproj *.sqlproj *.wixproj *.proj *.shproj *.esproj *.projitems *.sln *.slnx *.props *.targets *.rsp *.ruleset",
	"*.runsettings *.globalconfig *.pubxml *.nuspec global.json nuget.config packages.config packages.lock.json dotnet-tools.json stylecop.json",
	"paket.dependencies paket.lock .editorconfig",
	// Ruby and PHP
	"gemfile gemfile.lock gems.rb gems.locked *.gemspec rakefile rakefile.rb *.rake thorfile guardfile appraisals .rspec .rspec-local spec_helper.rb",
	"rails_helper.rb test_helper.rb .simplecov .rubocop*.yml .standard.yml capfile dangerfile steepfile berksfile composer.json composer.lock",
	"phpunit.xml phpunit.xml.dist phpunit.dist.xml phpstan.neon phpstan.neon.dist psalm.xml psalm.xml.dist phpcs.xml phpcs.xml.dist .phpcs.xml",
	".php-cs-fixer.php .php-cs-fixer.dist.php .php_cs rector.php ecs.php grumphp.yml captainhook.json robofile.php behat.yml codeception.yml",
	// Apple, Dart
	"package.swift package.resolved podfile podfile.lock *.podspec cartfile cartfile.resolved mintfile fastfile appfile matchfile brewfile",
	"project.pbxproj *.xcconfig *.xcscheme *.xctestplan .swiftlint.yml .swiftformat pubspec.yaml pubspec.lock pubspec_overrides.yaml",
	"analysis_options.yaml build.yaml dart_test.yaml melos.yaml",
	// Other languages
	"mix.exs mix.lock config.exs runtime.exs .formatter.exs .credo.exs test_helper.exs rebar.config rebar.config.script rebar.lock *.cabal",
	"cabal.project* stack.yaml stack.yaml.lock package.yaml setup.hs hie.yaml .hlint.yaml dune dune-project dune-workspace *.opam .ocamlformat",
	"makefile.pl build.pl cpanfile dist.ini *.rockspec .busted stylua.toml *.nimble *.nims nim.cfg shard.yml project.toml manifest.toml dub.json dub.sdl",
	"elm.json spago.dhall spago.yaml foundry.toml remappings.txt gleam.toml renv.lock *.nix flake.lock",
	// Consoles, which tests and scripts start, too
	".rprofile .renviron .irbrc _irbrc .pryrc .rdbgrc .byebugrc .pdbrc .perldb .ghci .ocamlinit .iex.exs .octaverc",
	// Containers, continuous integration, commit hooks
	"dockerfile dockerfile.* *.dockerfile containerfile containerfile.* docker-compose*.yml docker-compose*.yaml compose*.yml compose*.yaml",
	"docker-bake.* skaffold.yaml devspace.yaml .gitpod.yml jenkinsfile jenkinsfile.* .gitlab-ci*.yml *.gitlab-ci.yml .travis.yml azure-pipelines*.yml",
	"azure-pipelines*.yaml bitbucket-pipelines.yml .drone.* .woodpecker.* appveyor.yml .appveyor.yml cloudbuild*.yml cloudbuild*.yaml buildspec*.yml",
	"buildspec*.yaml .cirrus.* .build.yml codemagic.yaml bitrise.yml wercker.yml netlify.toml vercel.json render.yaml fly.toml amplify.yml",
	".readthedocs.yml .readthedocs.yaml sonar-project.properties .pre-commit-config.yaml .pre-commit-hooks.yaml lefthook*.yml lefthook*.yaml",
	".lefthook*.yml .lefthook*.yaml .overcommit.yml .simple-git-hooks.*",
].flatMap((line) => line.split(" "));

/** These count only directly in a workspace folder; deeper ones may as well be part of the program. */
const TOP_NAMES: ReadonlySet<string> = new Set(
	"build.js build.ts build.cts build.mts build.py build.rb build.php tasks.py".split(" "),
);

/** Every file in these folders counts. */
const FOLDERS: ReadonlySet<string> = new Set(
	[
		".circleci .buildkite .semaphore .teamcity .woodpecker .tekton .gitea .forgejo .gitlab .builds .azure-pipelines .husky .githooks .cargo .mvn",
		".storybook buildsrc magefiles .github/workflows .github/actions .yarn/releases .yarn/plugins .yarn/sdks .yarn/patches gradle/wrapper",
		"cypress/support cypress/plugins",
	].flatMap((line) => line.split(" ")),
);

const NAMES: ReadonlySet<string> = new Set(LISTED.filter((name) => !name.includes("*")));
const PATTERNS = LISTED.filter((name) => name.includes("*")).map((pattern) => {
	const [start = "", end = ""] = pattern.split("*");
	return { start, end };
});

/** `vite.config.ts`, `jest.setup.js`, `rollup.config.prod.mjs`: unlisted tools use such names too. */
const ROLES: ReadonlySet<string> = new Set(["config", "conf", "setup", "workspace", "preset"]);
const FORMATS: ReadonlySet<string> = new Set(
	"js cjs mjs jsx ts cts mts tsx json json5 jsonc yaml yml toml py rb lua php exs".split(" "),
);
/** `.bashrc` and the like belong to a shell, not to a build. */
const SHELL_FILES: ReadonlySet<string> = new Set(START_UP_PLACES.map(foldName));

/** Includes `.eslintrc` and `.babelrc.json`. */
function isConfiguration(name: string): boolean {
	const parts = name.split(".");
	const [first = "", second = ""] = parts;
	const isHidden = first === "" && second.length > 2 && second.endsWith("rc");
	if (isHidden && parts.length === 2) return true;
	if (parts.length < 3 || !FORMATS.has(parts.at(-1) ?? "")) return false;
	return isHidden || parts.slice(1, -1).some((part) => ROLES.has(part));
}

function matches({ start, end }: { readonly start: string; readonly end: string }, name: string): boolean {
	return name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
}

function isBelow(parts: readonly string[]): boolean {
	return parts.slice(0, -1).some((part, at) => FOLDERS.has(part) || FOLDERS.has(`${parts[at - 1]}/${part}`));
}

function isDocument(name: string): boolean {
	return [".md", ".markdown", ".rst", ".adoc"].some((end) => name.endsWith(end));
}

/** Segments below the outermost folder; for a path outside all folders, every segment. */
function partsBelow(path: string, folders: readonly string[]): readonly string[] {
	const around = folders.filter((folder) => isInside(path, folder)).sort((a, b) => a.length - b.length);
	const way = around[0] === undefined ? path : relative(around[0], path);
	return way.split(/[\\/]/).filter((part) => part !== "");
}
