import assert from "node:assert/strict";
import { test } from "node:test";
import { Wire } from "../../../agent-host/protocol/settings/model-values.ts";
import { ApprovalPolicy, PermissionMode } from "../../../agent-host/protocol/settings/policy-settings.ts";
import { ModelSettings } from "../../../agent-host/protocol/settings/settings.ts";
import { refuseOldNode } from "../../../agent-host/start/check-node.ts";
import { readDecision } from "../../../agent-host/surfaces/cli/ask-on-terminal.ts";
import { chooseCommand } from "../../../agent-host/surfaces/cli/choose-command.ts";
import { describeUsage, listCompletions } from "../../../agent-host/surfaces/cli/command-words.ts";
import { completionCommand } from "../../../agent-host/surfaces/cli/completion-command.ts";
import { listEditorHomes } from "../../../agent-host/surfaces/cli/find-editor-home.ts";
import { runHere } from "../../host/rig/command-here.ts";

test("an approval is given only by a clearly typed choice that was offered", () => {
	const all = ["allow", "allowThread", "deny", "abort"] as const;
	const typed = ["y", " YES ", "t", "n", "s", "", "yy", "allow", "y\u0000", "т"];
	assert.deepEqual(
		typed.map((text) => readDecision(text, all)),
		["allow", "allow", "allowThread", "deny", "abort", "deny", "deny", "deny", "deny", "deny"],
	);
	assert.equal(readDecision("t", ["allow", "deny"]), "deny");
});

test("every command in the help can be started, and its options can be completed in each shell", async () => {
	const started = { argv0: "node", script: "vitrine.cjs" };
	for (const { name } of listCompletions()) assert.equal(chooseCommand(started, [name])?.name, name);
	for (const shell of ["bash", "zsh", "fish"]) {
		const { stdout } = await runHere(completionCommand, [shell], { cwd: "/" });
		for (const word of ["exec", "doctor", "apply-patch", "output-schema", "dry-run"]) {
			assert.ok(stdout.includes(word), `${shell}: ${word}`);
		}
	}
	assert.equal((await runHere(completionCommand, ["tcsh"], { cwd: "/" })).status, 2);
});

test("the help of a command names every value that an option takes", () => {
	const usage = describeUsage("exec");
	const named = (option: string) => new RegExp(`--${option} ([\\w|]+)\\]`).exec(usage)?.[1]?.split("|");
	assert.deepEqual(named("wire"), Wire.options);
	assert.deepEqual(named("summary"), ModelSettings.shape.reasoningSummary.unwrap().options);
	assert.deepEqual(named("mode"), PermissionMode.options);
	assert.deepEqual(named("approval"), ApprovalPolicy.options);
});

test("the threads of an editor are looked for where each system keeps them", () => {
	const of = (platform: NodeJS.Platform, home: string, environment = {}) =>
		listEditorHomes({ platform, home, environment })[0];
	assert.equal(of("linux", "/home/a"), "/home/a/.config/Code/User/globalStorage/vitrine.vitrine");
	assert.equal(of("linux", "/home/a", { XDG_CONFIG_HOME: "/c" }), "/c/Code/User/globalStorage/vitrine.vitrine");
	assert.equal(
		of("darwin", "/Users/a"),
		"/Users/a/Library/Application Support/Code/User/globalStorage/vitrine.vitrine",
	);
	assert.equal(
		of("win32", "C:\\Users\\a"),
		"C:\\Users\\a\\AppData\\Roaming\\Code\\User\\globalStorage\\vitrine.vitrine",
	);
});

test("an old Node is refused with the version that is needed", () => {
	assert.equal(refuseOldNode("22.12.0"), "Vitrine needs Node 22.13 or later; this is 22.12.0.");
	assert.deepEqual(["22.13.0", "24.0.1"].map(refuseOldNode), [undefined, undefined]);
});
