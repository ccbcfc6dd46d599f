import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsWithBuild } from "../../../agent-host/permissions/resolve/build-names.ts";

const inFolder = (way: string) => runsWithBuild(`/repo/app/${way}`, ["/repo/app"]);
const words = (...lines: readonly string[]) => lines.flatMap((line) => line.split(" "));

const MEMBERS = words(
	"package.json package-lock.json tsconfig.json tsconfig.build.json jsconfig.json angular.json turbo.json biome.json .npmrc pnpm-lock.yaml",
	"vite.config.ts webpack.config.js webpack.prod.js rollup.config.prod.mjs jest.config.cjs jest.setup.ts vitest.workspace.ts karma.conf.js",
	"unheard-of.config.mts .eslintrc .eslintrc.json .prettierrc.yaml .babelrc .mocharc.cjs .unheardofrc .stylelintrc.toml eslint.config.js",
	"Makefile GNUmakefile Makefile.am rules.mk justfile .justfile Taskfile.yml Gulpfile.js build.sh build.ps1 magefile.go build.ts tasks.py",
	"CMakeLists.txt find.cmake configure.ac meson.build SConstruct conanfile.py BUILD.bazel WORKSPACE defs.bzl .clang-tidy",
	"Cargo.toml Cargo.lock build.rs rustfmt.toml go.mod .golangci.yml build.zig",
	"pyproject.toml setup.py setup.cfg conftest.py tox.ini noxfile.py pytest.ini requirements-dev.txt Pipfile ruff.toml .pylintrc sitecustomize.py",
	"build.gradle build.gradle.kts settings.gradle gradlew gradle.properties pom.xml mvnw build.sbt project.clj",
	"app.csproj lib.fsproj Directory.Build.props Directory.Build.targets app.sln nuget.config global.json .editorconfig",
	"Rakefile deploy.rake Gemfile Gemfile.lock thing.gemspec .rspec spec_helper.rb composer.json phpunit.xml .rubocop.yml",
	"Package.swift Podfile Fastfile project.pbxproj pubspec.yaml mix.exs stack.yaml thing.cabal dune Makefile.PL flake.nix .Rprofile .Renviron .irbrc .pryrc .pdbrc .ghci",
	"Dockerfile Dockerfile.dev api.dockerfile docker-compose.yml compose.override.yaml Jenkinsfile .travis.yml azure-pipelines.yml",
	"bitbucket-pipelines.yml .drone.yml cloudbuild.yaml netlify.toml .pre-commit-config.yaml lefthook.yml .lintstagedrc .gitlab-ci.yml",
	".circleci/config.yml .buildkite/hooks/environment .husky/pre-commit .github/workflows/test.yml .github/actions/a/index.js .cargo/config.toml",
	".mvn/extensions.xml gradle/wrapper/gradle-wrapper.jar buildSrc/src/main/java/A.java .yarn/releases/yarn.cjs .storybook/main.ts",
);

/** These count in the workspace's own folder only. */
const ONLY_AT_TOP = words("build.ts build.js build.py tasks.py");

const OTHERS = words(
	"package.json.md mypackage.json package.jsonx package.json.bak xpackage.json package.json/readme.txt packages.txt package.ts",
	"Makefile.md Makefiles makefile~ unmakefile README.md tsconfig.md my-tsconfig.txt config.ts src/config.json app/configure.ts",
	"vite.config.md vite.configs.ts setup.ts setup.txt conf.txt workspace.ts .rc rc eslintrc .bashrc .zshrc .vimrc .env .gitignore",
	"Cargo.toml.txt build.txt rebuild.rs builder.rs src/build.ts src/tasks.py app/build.py conftest.txt my_conftest.py setup.pyc",
	"Dockerfile.md dockerfiles/a.txt Gemfile.md Rakefile.txt app.csproj.user notes.mkd main.go a.txt index.html styles.css",
	"scripts/a.sh scripts/release.js test/a.test.ts src/main.rs circleci/config.txt .circleci-notes .github/CODEOWNERS .github/ISSUE_TEMPLATE/a.yml",
	"wrapper/a.jar gradle/readme.txt .yarn/cache/a.zip husky/pre-commit .mvnx/a.xml",
);

test("files that run with a build or a test are recognized by name, in any folder", () => {
	assert.deepEqual(
		MEMBERS.filter((way) => !inFolder(way)),
		[],
	);
	const deep = MEMBERS.filter((way) => !ONLY_AT_TOP.includes(way)).map((way) => `packages/one/${way}`);
	assert.deepEqual(
		deep.filter((way) => !inFolder(way)),
		[],
	);
	assert.deepEqual(
		ONLY_AT_TOP.filter((way) => inFolder(`packages/one/${way}`)),
		[],
	);
});

test("names that are nearly such names are not marked", () => {
	assert.deepEqual(
		OTHERS.filter((way) => inFolder(way)),
		[],
	);
});

test("case, width and invisible characters do not disguise a name", () => {
	const spelled = MEMBERS.flatMap((way) => [
		way.toUpperCase(),
		way.toLowerCase(),
		`${way.slice(0, 1)}\u200B${way.slice(1)}`,
	]);
	assert.deepEqual(
		[...spelled, "ＰＡＣＫＡＧＥ.json"].filter((way) => !inFolder(way)),
		[],
	);
});

test("folders above the outermost workspace do not count, and outside of all workspaces every folder counts", () => {
	assert.equal(runsWithBuild("/home/.husky/app/a.txt", ["/home/.husky/app"]), false);
	assert.equal(runsWithBuild("/w/gradle/wrapper/a.txt", ["/w/gradle/wrapper", "/w"]), true);
	assert.equal(runsWithBuild("/elsewhere/.husky/pre-commit", ["/w"]), true);
	assert.equal(runsWithBuild("/elsewhere/package.json", []), true);
	assert.equal(runsWithBuild("/elsewhere/a.txt", []), false);
});

test("text before or after a name makes it a different name", () => {
	const letters = fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom(..."abcxyz") });
	fc.assert(
		fc.property(letters, fc.constantFrom("package.json", "cargo.toml", "pom.xml", "gemfile"), (more, name) => {
			assert.equal(inFolder(more + name), false);
			assert.equal(inFolder(name + more), false);
		}),
	);
});
