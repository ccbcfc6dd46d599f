import { globSync } from "node:fs";
import { platform } from "node:os";
import { PROJECT } from "../support/editor-paths.ts";
import type { Choices } from "./options.ts";

/** What files need before they run; each is a task of the run. */
export type Need = "build" | "package" | "sandbox" | "browser" | "editor";

/** Test files that are alike: what they need, and what they ask of the machine. */
export interface Stage {
	readonly name: string;
	/** Patterns of its files; those that take longest are named first. */
	readonly files: readonly string[];
	/**
	 * Those of them that `npm test` leaves to `npm run test:rest`, to end within eight minutes: many cases of one rule, long
	 * sequences, and features whose parts other files prove.
	 */
	readonly rest?: readonly string[];
	/** Further files, in a full run. */
	readonly full?: readonly string[];
	readonly needs: readonly Need[];
	/** Its hosts run as on Windows. */
	readonly asWindows?: true;
	/** Processors that a file keeps busy on average. */
	readonly cores: number;
	/** How many of its files may run at a time. */
	readonly most: number;
	/** Which files root runs as an ordinary user in its place; a full run takes all of the stage as both. */
	readonly ordinary?: readonly string[];
	/** Which files root always runs as both, because the two go other ways there. */
	readonly both?: readonly string[];
}

const ANY = Number.POSITIVE_INFINITY;
// Commands and searches run in a sandbox of bubblewrap, and searches use the editor's ripgrep; both exist on Linux only.
const SEARCH: readonly Need[] = platform() === "linux" ? ["build", "sandbox", "editor"] : ["build"];

/** In the order in which their files are begun, as far as what they need is there. */
export const STAGES: readonly Stage[] = [
	{
		name: "editor",
		files: ["test/editor/{context,chat,threads,trust}.test.ts", "test/editor/*.test.ts"],
		rest: ["test/editor/{chat,context,contract,in-editor,models,no-sandbox,patches,storage}.test.ts"],
		full: ["test/editor/*.full.ts"],
		needs: ["build", "package", "sandbox", "browser", "editor"],
		cores: 0.7,
		most: 2,
	},
	{
		name: "page",
		files: ["test/page/{long-thread,approvals,pictures,accessibility,panel}.test.ts", "test/page/*.test.ts"],
		rest: ["test/page/{accessibility,images,inspector,long-thread,pictures,reload,work}.test.ts"],
		needs: ["build", "browser"],
		cores: 0.8,
		most: 3,
	},
	{
		name: "faults",
		files: ["test/faults/{real-kills,two-windows,evil-model,parent-gone}.test.ts", "test/faults/**/*.test.ts"],
		rest: [
			"test/faults/{evil-model,failing-records,lock-race,mutated-threads,parent-gone,patch-races,two-windows}.test.ts",
			"test/faults/{long-thread,long-turn,memory,soak,streams}.test.ts",
		],
		needs: SEARCH,
		cores: 0.7,
		most: 3,
		ordinary: ["test/faults/cancel.test.ts"],
	},
	{
		name: "host",
		files: ["test/host/{retries,parity,chat-servers,giant-records,command-line}.test.ts", "test/host/**/*.test.ts"],
		rest: [
			"test/host/{parity,refusal-scenarios,refusals-tell-nothing,records,raw-request,protocol-details}.test.ts",
			"test/host/{giant-records,retries,contract-scenarios,surfaces}.test.ts",
			"test/host/{acp-sequences,mcp,mcp-sequences,mcp-ceiling,apply-patch-command,command-line,vitrine-package}.test.ts",
			"test/host/{network-approvals,approved-is-seen,local-network,no-sandbox,uncontained,windows}.test.ts",
			"test/host/{agents,agents-random,restore-agents,worktrees,goals,plan-mode,plugins,skills,sources}.test.ts",
			"test/host/{servers,workspace-servers,server-sign-in,sign-in,chat-servers,kept-code}.test.ts",
			"test/host/{compaction-long,compaction-remote,history-moves,kept-contract,loop-guard,stall}.test.ts",
		],
		full: ["test/host/*.full.ts"],
		needs: SEARCH,
		cores: 0.7,
		most: 3,
		ordinary: ["test/host/{run-command,two-hosts,health}.test.ts"],
	},
	{
		// Host tests again, on hosts that run as on Windows, with clients that know their files by the paths here. What is
		// about the sandbox stays out, and with it hooks and servers; so do pipes, ripgrep, and requests whose size decides,
		// because permissions without a sandbox take fewer words.
		name: "windows",
		files: ["test/windows/*.test.ts", "test/host/lifecycle.test.ts"],
		full: [
			"test/host/{steer,storage,threads,turn,retries}.test.ts",
			"test/host/{history,history-moves,persistence,records,sealed,crash,faults,reload,retry-turn}.test.ts",
			"test/host/{interrupt,follow-ups,mute,loop-guard}.test.ts",
			"test/host/{acp,exec,mcp,protocol,protocol-details,providers,chat-servers,detect-wire,budgets}.test.ts",
			"test/host/{apply-patch,apply-patch-command,documents,images,compaction,compaction-long}.test.ts",
			"test/host/{agent-files,agents-random,aside,bundle,count-context,history-scenarios,scenarios}.test.ts",
			"test/host/{server-sign-in,sign-in,small-window,stall,user-scenarios}.test.ts",
		],
		needs: ["build"],
		asWindows: true,
		cores: 0.7,
		most: 3,
	},
	{
		name: "security",
		files: ["test/security/{page,corpus,policy,package}.test.ts", "test/security/**/*.test.ts"],
		rest: ["test/security/package.test.ts"],
		needs: [...SEARCH, "browser", "package"],
		cores: 0.9,
		most: 3,
		ordinary: ["test/security/{disk,files,patch}.test.ts"],
	},
	{
		name: "sandbox",
		files: ["test/sandbox/**/*.test.ts"],
		needs: SEARCH,
		cores: 0.9,
		// They count processes of the machine and set limits on them.
		most: 1,
		ordinary: [
			"test/sandbox/{commands,policy-probe,prepare,reading,repair,repository,search,temporary,toolchains}.test.ts",
		],
		// Root owns its control groups and may mount; others have to ask for both.
		both: ["test/sandbox/{cgroups,launch,limits,mounts,waiting-shells}.test.ts"],
	},
	{
		name: "unit",
		files: ["test/unit/**/*.test.ts"],
		rest: ["test/unit/{linear,linear-lines,session/agents/schedules,store/kept-state}.test.ts"],
		needs: ["build"],
		cores: 1,
		most: ANY,
	},
];

/** What can be named on the command line. */
export function listChoices(): Choices {
	return {
		stages: ["check", ...STAGES.map(({ name }) => name)],
		files: STAGES.flatMap(({ files, full = [] }) => findTests([...files, ...full])),
	};
}

/** The files of a list of patterns, in the order of the patterns. */
export function findTests(patterns: readonly string[] = []): readonly string[] {
	const exclude = (path: string) => path.split("/").includes("node_modules");
	return [...new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: PROJECT, exclude }).sort()))];
}
