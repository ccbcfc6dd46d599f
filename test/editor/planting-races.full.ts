import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { digestPolicy } from "../../agent-host/permissions/policy/policy.ts";
import { resolvePolicy } from "../../agent-host/permissions/resolve/resolve-policy.ts";
import { PermissionSettings } from "../../agent-host/protocol/settings/policy-settings.ts";
import { findClosedPlaces } from "../../agent-host/sandbox/reading/closed-places.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { until } from "../support/editor-until.ts";
import { git } from "../support/plantings.ts";

const ROUNDS = Number(process.env.ROUNDS ?? 300);
/** A tenth of a second is usual. */
const ROUND_MS = 500;
const OBEYED = "what was planted is obeyed";
const session = createEditorSession({ builtIn: "all" });
const SETTINGS = {
	"security.workspace.trust.enabled": false,
	"window.title": "as the user has it",
	"git.enabled": true,
	"git.autoRepositoryDetection": true,
	"git.repositoryScanMaxDepth": -1,
};

interface Kind {
	/** Prepares it under a name that nothing obeys, before the measured part. */
	readonly prepare: (folder: string, mark: string) => void;
	/** Moves it into place in one step. */
	readonly plant: string;
	readonly planted: string;
	/** A file in it. */
	readonly inside: string;
	readonly byUser: (folder: string, mark: string) => void;
}

const KINDS: Readonly<Record<string, Kind>> = {
	"settings of the workspace": {
		prepare: (folder) => {
			mkdirSync(join(folder, "v"), { recursive: true });
			writeFileSync(join(folder, "v/settings.json"), JSON.stringify({ "window.title": OBEYED }));
		},
		plant: "mv v .vscode",
		planted: ".vscode",
		inside: "settings.json",
		byUser: (folder) => renameSync(join(folder, "v"), join(folder, ".vscode")),
	},
	"a repository whose configuration runs a program": {
		prepare: (folder, mark) => {
			mkdirSync(join(folder, "sub"), { recursive: true });
			const elsewhere = mkdtempSync(join(tmpdir(), "vitrine-planted-"));
			git(elsewhere, "init", "-q");
			git(elsewhere, "config", "core.fsmonitor", `touch '${mark}'`);
			// Without its HEAD nobody takes it for a repository.
			rmSync(join(elsewhere, ".git/HEAD"));
			cpSync(join(elsewhere, ".git"), join(folder, "g"), { recursive: true });
			rmSync(elsewhere, { recursive: true });
		},
		plant: "echo 'ref: refs/heads/main' > g/HEAD; mv g sub/.git",
		planted: "sub/.git",
		inside: "config",
		byUser: (folder, mark) => {
			git(folder, "init", "-q", "theirs");
			git(join(folder, "theirs"), "config", "core.fsmonitor", `touch '${mark}'`);
		},
	},
};

for (const [what, kind] of Object.entries(KINDS)) {
	test(
		`the editor never obeys ${what} planted ${ROUNDS} times by a command that goes on running`,
		session.alone(
			async (desk) => {
				const folder = desk.editor.folder({ "a.txt": "a\n" });
				git(folder, "init", "-q");
				desk.editor.writeUserSettings(SETTINGS);
				const window = await desk.open({ folder });
				await window.page.waitForFunction(() => document.title.startsWith("as the user has it"));
				const mark = join(desk.editor.root, "sprung");
				const plantOnce = planter(folder, desk.editor.root);
				for (let round = 0; round < ROUNDS; round += 1) {
					kind.prepare(folder, mark);
					await plantOnce(kind.plant, kind.inside);
					assert.ok(!existsSync(join(folder, kind.planted)), `round ${round}: it still stands`);
					assert.ok(!existsSync(mark), `round ${round}: the editor has run it`);
					assert.doesNotMatch(await window.page.title(), new RegExp(OBEYED), `round ${round}`);
					for (const name of readdirSync(folder))
						if (/made-by-a-command/.test(name)) rmSync(join(folder, name), { recursive: true });
					rmSync(join(folder, "sub"), { recursive: true, force: true });
				}
				// The trap works: when the user plants it, the editor obeys.
				kind.byUser(folder, mark);
				await window.reload();
				await until("the editor obeys what the user planted", async () => {
					return existsSync(mark) || (await window.page.title()).includes(OBEYED);
				});
			},
			60_000 + ROUNDS * ROUND_MS,
		),
	);
}

/** Runs a planting in the sandbox of commands, which then waits until it is set aside. */
function planter(folder: string, root: string): (script: string, inside: string) => Promise<void> {
	const home = mkdtempSync(join(root, "own-"));
	const policy = resolvePolicy(PermissionSettings.parse({}), "never", {
		roots: [folder],
		trusted: true,
		home: homedir(),
		temp: [],
		own: [home],
		closed: findClosedPlaces({ home: homedir(), environment: process.env, written: [] }),
		versionControl: [],
	});
	const sandbox = createSandbox({ home, path: process.env.PATH, folders: [folder] });
	const never = new AbortController().signal;
	return async (script, inside) => {
		const waits = `${script}; for i in $(seq 1 3000); do [ -e ${script.split(" ").at(-1)}/${inside} ] || exit 0; sleep 0.001; done; exit 1`;
		const request = {
			argv: ["/bin/sh", "-c", waits],
			cwd: folder,
			policy,
			digest: digestPolicy(policy),
			environment: process.env,
		};
		const ended = await sandbox.run(request, { limits: policy.limits, streams: "kept", input: "closed" }, never);
		assert.notEqual(ended.state, "refused", JSON.stringify(ended));
	};
}
