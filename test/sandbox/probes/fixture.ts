import {
	chownSync,
	linkSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Policy } from "../../../agent-host/permissions/policy/policy.ts";
import { resolvePolicy } from "../../../agent-host/permissions/resolve/resolve-policy.ts";
import { PermissionSettings } from "../../../agent-host/protocol/settings/policy-settings.ts";
import { findClosedPlaces } from "../../../agent-host/sandbox/reading/closed-places.ts";

/** Files and folders the probes are about: a workspace, what lies outside it, a home with secrets, and the host's own folder. */
export interface Fixture {
	readonly folder: string;
	readonly workspace: string;
	readonly outside: string;
	readonly home: string;
	readonly own: string;
	readonly remove: () => void;
}

const FILES: Readonly<Record<string, string>> = {
	"ws/f.txt": "text\n",
	"ws/dir/inner.txt": "inner\n",
	"ws/.git/config": "[core]\n",
	"ws/.git/HEAD": "ref: refs/heads/main\n",
	"ws/.git/hooks/pre-commit.sample": "#!/bin/sh\n",
	"ws/.vscode/settings.json": "{}\n",
	"ws/.GITHUB/workflows/x.yml": "on: push\n",
	"ws/one.code-workspace": "{}\n",
	"ws/a/secret.txt": "closed-canary\n",
	"ws/a/b/g.txt": "open again\n",
	"ws/a/only.txt": "a file open again\n",
	"ws/ro/r.txt": "read\n",
	"ws/ro/rw/w.txt": "write\n",
	"ws/sub/deep/keep/k.txt": "kept\n",
	"ws/closed.txt": "closed-canary\n",
	"ws/keys/one.pem": "closed-canary\n",
	"ws/keys/nested/two.pem": "closed-canary\n",
	"outside/out.txt": "out\n",
	"home/plain.txt": "plain\n",
	"home/.ssh/id_ed25519": "secret-canary\n",
	"home/.aws/credentials": "secret-canary\n",
	"home/.netrc": "secret-canary\n",
	"home/.config/gh/hosts.yml": "secret-canary\n",
	"own/threads/one.jsonl": "own-canary\n",
};

export function makeFixture(parent: string, owner: number): Fixture {
	const folder = mkdtempSync(join(parent, "probe-"));
	for (const [path, text] of Object.entries(FILES)) {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), text);
	}
	symlinkSync(join(folder, "outside"), join(folder, "ws/way-out"));
	symlinkSync("a/secret.txt", join(folder, "ws/way-in"));
	linkSync(join(folder, "outside/out.txt"), join(folder, "outside/hard.txt"));
	mkdirSync(join(folder, "tmp"));
	give(folder, owner);
	return {
		folder,
		workspace: join(folder, "ws"),
		outside: join(folder, "outside"),
		home: join(folder, "home"),
		own: join(folder, "own"),
		remove: () => rmSync(folder, { recursive: true, force: true }),
	};
}

/** The policy of a trusted workspace in the fixture, with what the probe changes. */
export function policyFor(fixture: Fixture, permissions: Partial<PermissionSettings>): Policy {
	return resolvePolicy(PermissionSettings.parse(permissions), "never", {
		roots: [fixture.workspace],
		trusted: true,
		home: fixture.home,
		temp: [join(fixture.folder, "tmp")],
		own: [fixture.own],
		closed: findClosedPlaces({ home: fixture.home, environment: process.env, written: [fixture.workspace] }),
		versionControl: [],
	});
}

function give(path: string, owner: number): void {
	if (process.getuid?.() !== 0) return;
	const stat = lstatSync(path);
	if (!stat.isSymbolicLink()) chownSync(path, owner, owner);
	if (stat.isDirectory()) for (const name of readdirSync(path)) give(join(path, name), owner);
}
