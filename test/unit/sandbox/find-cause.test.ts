import assert from "node:assert/strict";
import { test } from "node:test";
import { findProblem } from "../../../agent-host/permissions/policy/sandbox-problem.ts";
import { SandboxProblemCode } from "../../../agent-host/protocol/settings/policy-settings.ts";
import {
	APPARMOR_SETTING,
	CLONE_SETTING,
	findCause,
	installCommand,
	MAX_SETTING,
	type MachineFacts,
} from "../../../agent-host/sandbox/linux/find-cause.ts";

const DEBIAN: MachineFacts = {
	osRelease: 'NAME="Debian GNU/Linux"\nID=debian\n',
	settings: { [MAX_SETTING]: "15000" },
	isContainer: false,
	isFlatpak: false,
	profile: "unconfined",
	distribution: undefined,
};

/** How bubblewrap fails on a machine that differs from Debian in this, and what is said of it. */
const MACHINES: readonly [string, Partial<MachineFacts>, SandboxProblemCode, SandboxProblemCode, RegExp | undefined][] =
	[
		[
			"Ubuntu 24.04",
			{ settings: { [APPARMOR_SETTING]: "1", [MAX_SETTING]: "9" } },
			"no-user-namespaces",
			"userns-apparmor",
			/extra-profiles\/bwrap-userns-restrict .* && sudo apparmor_parser -r/,
		],
		[
			"a hardened kernel",
			{ settings: { [CLONE_SETTING]: "0" } },
			"no-user-namespaces",
			"userns-off",
			/^sudo sysctl -w kernel\.unprivileged_userns_clone=1$/,
		],
		[
			"no namespaces left",
			{ settings: { [MAX_SETTING]: "0" } },
			"no-user-namespaces",
			"userns-off",
			/^sudo sysctl -w user\.max_user_namespaces=15000$/,
		],
		[
			"a dev container",
			{ isContainer: true },
			"no-user-namespaces",
			"userns-container",
			/^"runArgs": \["--security-opt=seccomp=unconfined"/,
		],
		[
			"a container on Ubuntu",
			{ isContainer: true, settings: { [APPARMOR_SETTING]: "1" } },
			"no-user-namespaces",
			"userns-container",
			/apparmor=unconfined/,
		],
		["a masked /proc", { isContainer: true }, "no-proc", "no-proc", /systempaths=unconfined/],
		["a Flatpak", { isFlatpak: true }, "bwrap-missing", "flatpak", undefined],
		["a Flatpak with bubblewrap", { isFlatpak: true }, "no-user-namespaces", "flatpak", undefined],
		["a strict snap", { profile: "snap.code.code (enforce)" }, "no-user-namespaces", "snap", /--classic$/],
		[
			"a classic snap",
			{ profile: "snap.code.code (complain)" },
			"bwrap-missing",
			"bwrap-missing",
			/^sudo apt install bubblewrap$/,
		],
		["WSL 1", { distribution: "Ubuntu" }, "wsl1", "wsl1", /^wsl --set-version Ubuntu 2$/],
		["a kernel that says no more", {}, "no-user-namespaces", "no-user-namespaces", undefined],
		["Fedora", { osRelease: "ID=fedora\n" }, "bwrap-missing", "bwrap-missing", /^sudo dnf install bubblewrap$/],
	];

for (const [name, change, seen, code, command] of MACHINES) {
	test(`on ${name} the cause and its remedy are named`, () => {
		const cause = findCause(seen, { ...DEBIAN, ...change });
		assert.equal(cause.code, code);
		if (command === undefined) assert.equal(cause.command, undefined);
		else assert.match(cause.command ?? "", command);
	});
}

test("each family of distributions has its own command", () => {
	const all = ["ubuntu", "rhel", "arch", "opensuse-leap suse", "alpine"].map((like) =>
		installCommand(`ID=x\nID_LIKE="${like}"\n`),
	);
	assert.deepEqual(
		all.map((one) => one.split(" ")[1]),
		["apt", "dnf", "pacman", "zypper", "apk"],
	);
});

test("every problem is a cause in one sentence, says nothing of approvals, and has a remedy", () => {
	for (const code of SandboxProblemCode.options) {
		const { message, fix } = findProblem(code);
		assert.match(message, /, so there is no sandbox for commands\.$/, code);
		assert.doesNotMatch(message, /approval/);
		assert.match(fix, /\.$/);
	}
});
