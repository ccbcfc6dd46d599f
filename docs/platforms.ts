import type { Policy } from "../agent-host/permissions/policy/policy.ts";
import { findProblem } from "../agent-host/permissions/policy/sandbox-problem.ts";
import { describeObstacle, findObstacle } from "../agent-host/permissions/reach/may-run.ts";
import { NOTHING_CLOSED } from "../agent-host/permissions/reach/reach.ts";
import { type PolicyPlaces, resolvePolicy } from "../agent-host/permissions/resolve/resolve-policy.ts";
import {
	PermissionSettings,
	type PolicyEntry,
	type SandboxProblemCode,
} from "../agent-host/protocol/settings/policy-settings.ts";
import { type DiskFacts, planLayout } from "../agent-host/sandbox/layout/plan-layout.ts";
import {
	APPARMOR_SETTING,
	CLONE_SETTING,
	findCause,
	type MachineFacts,
} from "../agent-host/sandbox/linux/find-cause.ts";
import { planSeatbelt } from "../agent-host/sandbox/macos/profile.ts";
import { COMMAND_COST } from "./command-cost.ts";
import { editorWindowsPart } from "./editor-windows.ts";
import { TOOLCHAINS_PART } from "./toolchains.ts";

const PLACES: PolicyPlaces = {
	roots: ["/repo"],
	trusted: true,
	home: "/home/me",
	temp: ["/tmp"],
	own: [],
	closed: NOTHING_CLOSED,
	versionControl: [],
};

/** Every shape of a policy that a platform may treat differently, as settings. */
const SHAPES: Readonly<Record<string, Partial<PermissionSettings>>> = {
	"read everything, write nothing": { mode: "readOnly" },
	"write the workspace": {},
	"write the workspace and more": { writableRoots: ["/other"] },
	"a read-only folder in a writable one": { filesystem: [entry("/repo/a", "read")] },
	"a writable folder in a read-only one in a writable one": {
		filesystem: [entry("/repo/a", "read"), entry("/repo/a/b", "write")],
	},
	"a closed folder": { denyRead: ["/closed"] },
	"a closed folder in a writable one": { filesystem: [entry("/repo/a", "none")] },
	"write, none, write": { filesystem: [entry("/repo/a", "none"), entry("/repo/a/b", "write")] },
	"a closed glob": { denyRead: ["**/*.env"] },
	"read some folders only": { filesystem: [entry("/", "none"), entry("/sdk", "read")] },
	"the minimal system": { filesystem: [entry("/", "none"), entry(":minimal", "read")] },
	"a protected name opened": { filesystem: [entry("/repo/.git/hooks", "write")] },
	"network on": { network: "on" },
	"network for some hosts": { network: "allowList", allowedDomains: ["example.org"] },
	"full access": { mode: "full" },
};

type Column = readonly [name: string, says: (policy: Policy) => string];

const COLUMNS: readonly Column[] = [
	["Linux, WSL 2", linux],
	["macOS", macos],
	["No sandbox, Windows", uncontained],
];

/** The page about what is enforced where, asked of the planners themselves. */
export function platformsPage(): string {
	const reasons: string[] = [];
	const rows = Object.entries(SHAPES).map(([shape, settings]) => {
		const policy = resolvePolicy(PermissionSettings.parse(settings), "onRequest", PLACES);
		return `| ${[shape, ...COLUMNS.map(([, says]) => withNote(says(policy), reasons))].join(" | ")} |`;
	});
	return [
		"# What is enforced where",
		"",
		"Generated from the planners in `agent-host/sandbox` by `npm run docs`. What a platform cannot enforce is refused with a sentence; the numbers lead to it.",
		"",
		`| Policy | ${COLUMNS.map(([name]) => name).join(" | ")} |`,
		`| --- | ${COLUMNS.map(() => "---").join(" | ")} |`,
		...rows,
		"",
		...reasons.map((reason, index) => `${index + 1}. ${reason}`),
		"",
		...REMARKS,
		"",
		...COMMAND_COST,
		...causesPart(),
		...editorWindowsPart(),
		...TOOLCHAINS_PART,
		"",
	].join("\n");
}

const REMARKS = [
	"- **Linux** is tested with a real kernel in every test run. Globs close what matches when a command starts.",
	"- **Network on** is the machine's whole network: a command also reaches servers on its loopback and in its network. The settings, the permissions and every approval say so.",
	"  - An unprivileged sandbox gives a command this network or one of its own. Filtering its addresses would take a firewall, which needs root, or a program that carries packets out of a network of its own (pasta, slirp4netns), which most machines lack. A filter on system calls cannot read the address that a call points to.",
	"  - **Allowed sites** use a proxy, which can filter: with the line `*`, commands reach every public site by HTTP and HTTPS from a network of their own, and nothing on this machine or in its network, whatever name leads there. What does not use a proxy does not work: SSH, databases, UDP.",
	"- **macOS** has **not been run** yet. The profiles are compared with files, and with the resolver by a small Seatbelt of our own; CI tries the real one. Globs close what matches at any time.",
	"  - Allowed sites are reached through a proxy on the loopback that all programs share, so each command has its own password for it, in its variables. With the network on, the only UNIX socket that a command reaches is the one that resolves names.",
	"  - There is no namespace of processes. What a command leaves behind in its process group ends with it, or with the next start if the host was killed. What it starts in another group continues, inside the sandbox.",
	"- **Windows** has **never been run** by us. What was run is the built host on Linux with calls that answer as on Windows (`test/support/as-windows`): drives, case, held files, no folder sync, no process groups, `.cmd` programs. A full run takes more than forty files of host tests through it (`windows` in `test/runner/stages.ts`). A workflow is to run the unit tests, `test/windows` and the in-editor tests on a real one; that has not happened yet.",
	"  - There is no sandbox of ours, so commands run as described below, in PowerShell. Batch files get their arguments through `cmd`, or are refused if an argument cannot be passed unchanged.",
	"  - A command that is stopped, or over its time, ends with all that it started; what it leaves behind when it ends normally continues. Shares and devices are never opened unless the workspace is on one.",
	"- **WSL 1** counts as a machine without a sandbox, before bubblewrap is started.",
	"- **Linux without user namespaces** counts as a machine without a sandbox, since there is none besides bubblewrap. Landlock was measured and is not used: [docs/landlock.md](landlock.md).",
	"- **The packed bubblewrap** is Debian 12's, for x64 and arm64. It is used where the system has none, after its hash was checked, and a warning says so. It needs glibc, libcap and libselinux; AppArmor profiles for `/usr/bin/bwrap` do not apply to it.",
	"- **Without a sandbox** each command needs an approval that says so, your own `!` commands included, and runs with your rights: files and network are not limited. Its environment is as small as in the sandbox.",
	"  - Plan mode, approval `never` and a path that you blocked by name refuse every command. With Full Access commands run without asking, except wide deletions. “Always allow” is for exactly one argument list, and such a rule never counts in a sandbox. A turn that began with a sandbox never runs a command without one.",
	"  - The command's process group ends with it, at its limits and when it is stopped. A process that leaves the group continues. If the host is killed, the next one ends the group, as long as its first process is there (not on Windows).",
];

function linux(policy: Policy): string {
	const planned = planLayout(policy, everythingExists(policy));
	return planned.ok ? "enforced" : `refused: ${planned.reason}`;
}

function macos(policy: Policy): string {
	const planned = planSeatbelt(policy, { proxyPort: 3128, files: [], temporary: "/Users/me/.vitrine/tmp/thread" });
	return planned.ok ? "enforced" : `refused: ${planned.reason}`;
}

/** Where neither of the two is. */
function uncontained(policy: Policy): string {
	const obstacle = findObstacle(policy);
	if (obstacle !== undefined) return `refused: ${describeObstacle(obstacle).text}`;
	return policy.mode === "full" ? "runs, not enforced" : "asks, not enforced";
}

const PLAIN: MachineFacts = {
	osRelease: "ID=debian",
	settings: {},
	isContainer: false,
	isFlatpak: false,
	profile: "",
	distribution: undefined,
};

/** Where bubblewrap fails, what it fails with, and what differs there from an ordinary machine. */
const MACHINES: readonly (readonly [string, SandboxProblemCode, Partial<MachineFacts>])[] = [
	["Debian, Fedora, Arch or SUSE without bubblewrap", "bwrap-missing", {}],
	["Ubuntu 24.04 and later", "no-user-namespaces", { settings: { [APPARMOR_SETTING]: "1" } }],
	["A hardened kernel", "no-user-namespaces", { settings: { [CLONE_SETTING]: "0" } }],
	["Docker, dev containers, Codespaces", "no-user-namespaces", { isContainer: true }],
	["A container with a masked /proc", "no-proc", { isContainer: true }],
	["WSL 1", "wsl1", {}],
	["Flatpak", "no-user-namespaces", { isFlatpak: true }],
	["A confined snap", "no-user-namespaces", { profile: "snap.code.code (enforce)" }],
	["Windows", "no-sandbox-here", {}],
];

/** What the banner and the doctor say where there is no sandbox, as the code says it. */
function causesPart(): readonly string[] {
	const rows = MACHINES.map(([place, seen, facts]) => {
		const { code, command } = findCause(seen, { ...PLAIN, ...facts });
		const { message, fix } = findProblem(code);
		const cause = message.replace(/, so there is no sandbox for commands\.$/, ".");
		return `| ${place} | ${cause} | ${fix} | ${command === undefined ? "" : `\`${command}\``} |`;
	});
	return [
		"## Where there is no sandbox",
		"",
		"The banner and the doctor show one of these, with the command to copy. **Check Again** looks again without a restart.",
		"",
		"| Place | Cause | Remedy | Command |",
		"| --- | --- | --- | --- |",
		...rows,
		"",
		"Pictures of a turn with a command, taken in a real editor by `test/editor/backends.full.ts`: [in the sandbox](pictures/backend-sandbox.png), [in the packed bubblewrap](pictures/backend-sandbox-bundled.png), [without a sandbox, asked](pictures/backend-no-sandbox-asks.png), [without one and with Full Access](pictures/backend-no-sandbox-full-access.png). With user namespaces switched off: [the first start](pictures/backend-no-namespaces-start.png) and [the finished task](pictures/backend-no-namespaces-done.png).",
		"",
		"[The Explorer while a command runs](pictures/explorer-while-a-command-runs.png) (`test/editor/explorer.full.ts`) shows your files and what the command made, and nothing that belongs to the sandbox.",
		"",
	];
}

function everythingExists(policy: Policy): DiskFacts {
	const kinds = policy.filesystem.map(({ path }) => [path, "folder"] as const);
	return { kinds: new Map(kinds), links: new Map(), present: [], matches: [] };
}

/** The word alone, with the number of what follows it. */
function withNote(text: string, reasons: string[]): string {
	const [word = "", reason] = text.split(/: (.*)/s);
	if (reason === undefined) return word;
	if (!reasons.includes(reason)) reasons.push(reason);
	return `${word} (${reasons.indexOf(reason) + 1})`;
}

function entry(path: string, access: PolicyEntry["access"]): PolicyEntry {
	return { path, access };
}
