import { type FirstCommand, file } from "./first-command.ts";

const PACKAGE = file(
	"package.json",
	'{"name":"project","private":true,"scripts":{"test":"node check.js"},"dependencies":{"is-number":"7.0.0"}}',
);
const CHECK = file("check.js", 'if (require("is-number")(1) !== true) process.exit(1);', 'console.log("checked");');
const JAVASCRIPT = `${PACKAGE}${CHECK}`;
/** As projects ship it. */
const BERRY = "node .yarn/releases/yarn.cjs";

export const JAVASCRIPT_COMMANDS: readonly FirstCommand[] = [
	{
		toolchain: "Node.js in ~/.nvm",
		version: "ls ~/.nvm/versions/node && node --version",
		prepare: file("sum.test.js", 'require("node:test")("sum", () => {});'),
		command: "node --test",
	},
	{
		toolchain: "npm, from its cache",
		version: "npm --version",
		prepare: `${JAVASCRIPT} npm install && rm -r node_modules`,
		command: "npm ci && npm test",
	},
	{
		toolchain: "npm, with a new package",
		version: "npm --version",
		prepare: JAVASCRIPT,
		command: "npm install is-odd@3.0.1",
	},
	{
		toolchain: "npx, from its cache",
		version: "npm --version",
		prepare: "npx --yes semver@7.7.2 1.2.3",
		command: "npx --yes --offline semver@7.7.2 1.2.3",
	},
	{
		toolchain: "pnpm, from its store",
		version: "pnpm --version",
		prepare: `${JAVASCRIPT} pnpm install && rm -r node_modules`,
		command: "pnpm install --offline --frozen-lockfile && pnpm test",
	},
	{
		toolchain: "pnpm, installed project",
		version: "pnpm --version",
		prepare: `${JAVASCRIPT} pnpm install`,
		command: "pnpm test",
	},
	{
		toolchain: "Yarn 1, from its cache",
		version: "yarn --version",
		prepare: `${JAVASCRIPT} yarn install && rm -r node_modules`,
		command: "yarn install --offline --frozen-lockfile && yarn test",
	},
	{
		toolchain: "Yarn 4, from its cache",
		version: "node ~/.yarn4/node_modules/@yarnpkg/cli-dist/bin/yarn.js --version",
		prepare: `${JAVASCRIPT} mkdir -p .yarn/releases && cp ~/.yarn4/node_modules/@yarnpkg/cli-dist/bin/yarn.js .yarn/releases/yarn.cjs && touch yarn.lock && echo 'nodeLinker: node-modules' > .yarnrc.yml && ${BERRY} install && rm -r node_modules`,
		command: `${BERRY} install --immutable && ${BERRY} run test`,
	},
	{
		toolchain: "Bun, from its cache",
		version: "bun --version",
		prepare: `${JAVASCRIPT} bun install && rm -r node_modules`,
		command: "bun install --frozen-lockfile && bun run test",
	},
	{
		toolchain: "Bun, its tests",
		version: "bun --version",
		prepare: file(
			"sum.test.ts",
			'import { expect, test } from "bun:test";',
			'test("sum", () => expect(1 + 1).toBe(2));',
		),
		command: "bun test",
	},
	{
		toolchain: "Deno, from its cache",
		version: "deno --version | head -1 | cut -d' ' -f1,2",
		prepare: `${file("main.ts", 'import isNumber from "npm:is-number@7.0.0";', "console.log(isNumber(1));")} deno cache main.ts`,
		command: "deno run main.ts",
	},
	{
		toolchain: "Deno, its tests",
		version: "deno --version | head -1 | cut -d' ' -f1,2",
		prepare: file("sum_test.ts", 'Deno.test("sum", () => {});'),
		command: "deno test",
	},
	{
		toolchain: "pnpm, with a new package",
		version: "pnpm --version",
		prepare: `${JAVASCRIPT} pnpm install`,
		command: "pnpm add is-even@1.0.0",
	},
	{
		toolchain: "Yarn 1, installed project",
		version: "yarn --version",
		prepare: `${JAVASCRIPT} yarn install`,
		command: "yarn test",
	},
	{
		toolchain: "Yarn 1, with a new package",
		version: "yarn --version",
		prepare: `${JAVASCRIPT} yarn install`,
		command: "yarn add is-even@1.0.0",
	},
	{
		toolchain: "Bun, with a new package",
		version: "bun --version",
		prepare: `${JAVASCRIPT} bun install`,
		command: "bun add is-even@1.0.0",
	},
	{
		toolchain: "Deno, with a new package",
		version: "deno --version | head -1 | cut -d' ' -f1,2",
		prepare: file("main.ts", 'import isEven from "npm:is-even@1.0.0";', "console.log(isEven(2));"),
		command: "deno run main.ts",
	},
	{
		toolchain: "Corepack, from its cache",
		version: "corepack --version",
		prepare: `${file("package.json", '{"name":"project","packageManager":"yarn@1.22.22"}')} COREPACK_INTEGRITY_KEYS=0 COREPACK_ENABLE_DOWNLOAD_PROMPT=0 corepack yarn --version`,
		command: "corepack yarn --version",
	},
];
