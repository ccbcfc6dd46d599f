import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "..", "..");

/**
 * Who may import whom. A room may import itself, the rooms listed, and the packages listed; `pure` rooms see
 * no clock, disk, process or network. A longer path wins over a shorter one.
 */
const PURE_NODE = ["node:path", "node:util"];
const ROOMS: Readonly<Record<string, { readonly rooms: readonly string[]; readonly packages: readonly string[] }>> = {
	"agent-host/protocol": { rooms: [], packages: ["zod"] },
	"agent-host/spending": { rooms: ["agent-host/protocol"], packages: [] },
	"agent-host/network": { rooms: [], packages: ["node:url"] },
	// These speak with commands and servers; `ports.ts` alone connects.
	"agent-host/network/proxy.ts": { rooms: ["agent-host/network"], packages: ["node:http", "node:net", "node:stream"] },
	"agent-host/network/carry.ts": { rooms: ["agent-host/network"], packages: ["node:http", "node:stream"] },
	"agent-host/network/dial-checked.ts": { rooms: ["agent-host/network"], packages: ["node:stream"] },
	"agent-host/network/ports.ts": { rooms: [], packages: ["node:dns/promises", "node:net", "node:stream"] },
	"agent-host/permissions": {
		rooms: ["agent-host/protocol", "agent-host/network/rules.ts", "agent-host/network/host-name.ts"],
		packages: [...PURE_NODE, "node:crypto"],
	},
	"agent-host/envelope": { rooms: ["agent-host/protocol", "agent-host/permissions"], packages: PURE_NODE },
	"agent-host/context": {
		rooms: ["agent-host/protocol", "agent-host/permissions", "agent-host/envelope"],
		packages: [...PURE_NODE, "zod"],
	},
	"agent-host/history": { rooms: ["agent-host/protocol", "agent-host/context"], packages: ["zod"] },
	"agent-host/patch": { rooms: [], packages: ["node:path"] },
	"agent-host/mentions": { rooms: [], packages: [] },
	"agent-host/review": { rooms: ["agent-host/patch"], packages: ["node:crypto"] },
	"agent-host/compaction": {
		rooms: ["agent-host/protocol", "agent-host/envelope", "agent-host/context", "agent-host/history"],
		packages: [],
	},
	"agent-host/tools": {
		rooms: [
			"agent-host/protocol",
			"agent-host/network/rules.ts",
			"agent-host/permissions",
			"agent-host/patch",
			"agent-host/history",
		],
		packages: ["node:path", "zod"],
	},
	"agent-host/model": {
		rooms: ["agent-host/protocol", "agent-host/envelope", "agent-host/history"],
		packages: ["zod", "openai", "openai/resources/responses/responses", "openai/resources/chat/completions"],
	},
	"agent-host/model/request-digest.ts": {
		rooms: ["agent-host/history", "agent-host/model"],
		packages: ["node:zlib"],
	},
	"agent-host/telemetry": {
		rooms: ["agent-host/protocol", "agent-host/envelope", "agent-host/model/port.ts"],
		packages: [],
	},
	// Alone speaks with a collector, where the user has named one.
	"agent-host/telemetry/send.ts": {
		rooms: ["agent-host/protocol", "agent-host/telemetry", "agent-host/version.ts"],
		packages: [],
	},
	"agent-host/capabilities": {
		rooms: ["agent-host/protocol", "agent-host/permissions", "agent-host/envelope", "agent-host/sandbox"],
		packages: ["node:path", "node:crypto"],
	},
	"agent-host/sandbox": {
		rooms: [
			"agent-host/protocol",
			"agent-host/permissions",
			"agent-host/patch",
			"agent-host/review",
			"agent-host/network",
			"agent-host/tools",
		],
		packages: ["node:path", "node:fs", "node:fs/promises", "node:os", "node:stream", "ignore"],
	},
	"agent-host/sandbox/apply/patcher.ts": {
		rooms: ["agent-host/patch", "agent-host/sandbox"],
		packages: ["node:path", "node:fs/promises", "node:timers/promises"],
	},
	"agent-host/sandbox/protect/guard-journal.ts": {
		rooms: ["agent-host/sandbox"],
		packages: ["node:fs", "node:path", "zod"],
	},
	"agent-host/sandbox/protect/set-aside.ts": { rooms: ["agent-host/sandbox"], packages: ["node:path", "node:crypto"] },
	"agent-host/sandbox/apply/journal.ts": { rooms: ["agent-host/sandbox"], packages: ["node:crypto", "zod"] },
	"agent-host/sandbox/launch.ts": { rooms: ["agent-host/sandbox"], packages: ["node:child_process"] },
	// Wraps descriptors of pipes; it connects to nothing.
	"agent-host/sandbox/command/pipes.ts": {
		rooms: ["agent-host/sandbox"],
		packages: ["node:fs", "node:net", "node:path"],
	},
	// Takes over a listener that was made in a command's own network.
	"agent-host/sandbox/linux/start/own-network.ts": {
		rooms: ["agent-host/sandbox"],
		packages: ["node:fs", "node:net", "node:timers/promises"],
	},
	"agent-host/sandbox/linux/layout.ts": {
		rooms: ["agent-host/protocol", "agent-host/permissions"],
		packages: ["node:path"],
	},
	"agent-host/sandbox/linux/options.ts": { rooms: ["agent-host/sandbox/linux/layout.ts"], packages: ["node:path"] },
	"agent-host/sandbox/macos/seatbelt.ts": { rooms: [], packages: [] },
	"agent-host/sandbox/macos/text.ts": { rooms: [], packages: [] },
	"agent-host/sandbox/macos/rules.ts": {
		rooms: ["agent-host/protocol", "agent-host/permissions", "agent-host/sandbox/macos/seatbelt.ts"],
		packages: ["node:path"],
	},
	"agent-host/sandbox/macos/profile.ts": {
		rooms: [
			"agent-host/protocol",
			"agent-host/permissions",
			"agent-host/sandbox/macos/rules.ts",
			"agent-host/sandbox/macos/text.ts",
			"agent-host/sandbox/macos/seatbelt.ts",
		],
		packages: ["node:path"],
	},
	"agent-host/sandbox/windows.ts": {
		rooms: ["agent-host/protocol", "agent-host/permissions"],
		packages: ["node:path"],
	},
	"agent-host/sandbox/linux/choose-backend.ts": {
		rooms: ["agent-host/protocol", "agent-host/permissions"],
		packages: [],
	},
	"agent-host/sandbox/linux/start/cgroup-folders.ts": { rooms: [], packages: [] },
	"agent-host/sandbox/linux/wsl.ts": { rooms: [], packages: [] },
	"agent-host/sandbox/reading/toolchains.ts": { rooms: [], packages: [] },
	"agent-host/sandbox/reading/caches.ts": { rooms: [], packages: ["node:path"] },
	"agent-host/sandbox/prove/attempts.ts": {
		rooms: ["agent-host/protocol", "agent-host/permissions"],
		packages: ["node:path"],
	},
	"agent-host/sandbox/prove/script.ts": {
		rooms: ["agent-host/protocol", "agent-host/sandbox/prove/attempts.ts"],
		packages: [],
	},
	"agent-host/sandbox/linux/bundled.ts": { rooms: [], packages: ["node:crypto", "node:fs/promises", "node:path"] },
	"agent-host/sandbox/linux/seccomp.ts": { rooms: ["agent-host/sandbox/linux/syscalls.ts"], packages: [] },
	"agent-host/sandbox/linux/syscalls.ts": { rooms: [], packages: [] },
	"agent-host/sandbox/command/environment.ts": {
		rooms: [
			"agent-host/permissions",
			"agent-host/sandbox/reading/toolchains.ts",
			"agent-host/sandbox/reading/caches.ts",
		],
		packages: ["node:path"],
	},
	"agent-host/sandbox/command/output.ts": { rooms: [], packages: ["node:util"] },
	"agent-host/sandbox/linux/planner.ts": {
		rooms: ["agent-host/permissions", "agent-host/sandbox/linux/layout.ts"],
		packages: ["node:util"],
	},
	"agent-host/store": {
		rooms: [
			"agent-host/protocol",
			"agent-host/spending",
			"agent-host/envelope",
			"agent-host/context",
			"agent-host/history",
		],
		packages: ["node:path", "node:os", "node:fs/promises", "node:crypto", "node:sqlite", "zod"],
	},
	"agent-host/store/record.ts": {
		rooms: ["agent-host/protocol", "agent-host/context", "agent-host/history"],
		packages: ["node:zlib", "zod"],
	},
	"agent-host/store/disk.ts": { rooms: [], packages: ["node:fs", "node:fs/promises"] },
	"agent-host/store/merge-patch.ts": { rooms: [], packages: [] },
	"agent-host/store/scan.ts": { rooms: ["agent-host/store/record.ts"], packages: ["node:zlib"] },
	"agent-host/store/apart.ts": {
		rooms: ["agent-host/history/item.ts", "agent-host/store/record.ts"],
		packages: ["node:crypto"],
	},
	"agent-host/store/rewrite.ts": { rooms: ["agent-host/store"], packages: [] },
	"agent-host/store/thread-state.ts": {
		rooms: [
			"agent-host/protocol",
			"agent-host/envelope",
			"agent-host/context",
			"agent-host/history",
			"agent-host/store",
		],
		packages: [],
	},
	"agent-host/store/replay.ts": {
		rooms: [
			"agent-host/protocol",
			"agent-host/envelope",
			"agent-host/context",
			"agent-host/history",
			"agent-host/store",
		],
		packages: [],
	},
	"agent-host/session": {
		rooms: [
			"agent-host/protocol",
			"agent-host/spending",
			"agent-host/permissions",
			"agent-host/envelope",
			"agent-host/context",
			"agent-host/history",
			"agent-host/patch",
			"agent-host/mentions",
			"agent-host/review",
			"agent-host/compaction",
			"agent-host/tools",
			"agent-host/model",
			"agent-host/telemetry",
			"agent-host/capabilities",
			"agent-host/sandbox",
			"agent-host/store",
			"agent-host/version.ts",
		],
		packages: ["node:os", "node:path"],
	},
	"agent-host/session/health/doctor.ts": {
		rooms: [
			"agent-host/envelope",
			"agent-host/model",
			"agent-host/protocol",
			"agent-host/sandbox",
			"agent-host/session",
			"agent-host/store",
			"agent-host/version.ts",
		],
		packages: ["node:os", "node:v8"],
	},
	"agent-host/session/ports/system-ports.ts": {
		rooms: ["agent-host/session"],
		packages: ["node:crypto", "node:timers/promises"],
	},
	"agent-host/surfaces": {
		rooms: [
			"agent-host/protocol",
			"agent-host/sandbox",
			"agent-host/session",
			"agent-host/store",
			"agent-host/version.ts",
		],
		packages: ["node:url", "node:stream", "vscode-jsonrpc/node", "vscode-languageserver-textdocument", "zod"],
	},
	"agent-host/surfaces/cli": {
		rooms: [
			"agent-host/protocol",
			"agent-host/network/rules.ts",
			"agent-host/patch",
			"agent-host/permissions",
			"agent-host/sandbox",
			"agent-host/store",
			"agent-host/session",
			"agent-host/surfaces/open-session.ts",
			"agent-host/version.ts",
		],
		packages: ["node:crypto", "node:fs/promises", "node:os", "node:path", "node:stream", "node:util"],
	},
	"agent-host/surfaces/cli/arg0.ts": { rooms: [], packages: ["node:path"] },
	"agent-host/surfaces/ensure-home.ts": {
		rooms: ["agent-host/store/no-home.ts"],
		packages: ["node:os", "node:path"],
	},
	"agent-host/version.ts": { rooms: [], packages: [] },
	"agent-host/main.ts": { rooms: ["agent-host/surfaces", "agent-host/version.ts"], packages: ["node:module"] },
	l10n: { rooms: [], packages: [] },
	extension: {
		rooms: ["agent-host/protocol", "l10n", "media/wire.ts", "media/inspector-wire.ts"],
		packages: [
			"vscode",
			"vscode-languageclient/node",
			"zod",
			"node:path",
			"node:crypto",
			"node:fs",
			"node:fs/promises",
		],
	},
	"extension/panel/page.ts": { rooms: ["l10n"], packages: [] },
	"extension/panel/inside.ts": { rooms: [], packages: ["node:path"] },
	"extension/host/restarts.ts": { rooms: [], packages: [] },
	"extension/host/questions.ts": {
		rooms: ["agent-host/protocol", "l10n", "extension/host/approvals.ts"],
		packages: [],
	},
	"extension/host/approvals.ts": { rooms: ["agent-host/protocol", "l10n"], packages: [] },
	"extension/facts/chat-settings.ts": { rooms: ["media/wire.ts"], packages: [] },
	"extension/facts/permissions.ts": { rooms: ["agent-host/protocol", "l10n"], packages: ["zod"] },
	"extension/facts/proxy.ts": { rooms: [], packages: [] },
	"extension/attach/secret-files.ts": { rooms: [], packages: [] },
	"extension/attach/offer.ts": { rooms: ["agent-host/protocol", "l10n", "media/wire.ts"], packages: [] },
	"extension/attach/lines.ts": { rooms: ["agent-host/protocol"], packages: [] },
	"extension/commands/limit-choices.ts": { rooms: ["agent-host/protocol", "l10n"], packages: [] },
	"extension/commands/model-words.ts": { rooms: ["agent-host/protocol", "l10n"], packages: [] },
	"extension/review/hunk-words.ts": { rooms: ["agent-host/protocol", "l10n"], packages: [] },
	"extension/commands/restore-words.ts": { rooms: ["agent-host/protocol", "l10n"], packages: [] },
	"extension/commands/standing-turns.ts": { rooms: ["agent-host/protocol"], packages: [] },
	"extension/views/terminal-text.ts": { rooms: [], packages: [] },
	"extension/views/when-told.ts": { rooms: [], packages: [] },
	"extension/views/document-address.ts": { rooms: [], packages: [] },
	"extension/views/render-document.ts": { rooms: ["agent-host/protocol", "l10n"], packages: [] },
	"extension/views/report-words.ts": { rooms: ["agent-host/protocol", "l10n"], packages: [] },
	"extension/views/compaction-words.ts": { rooms: ["agent-host/protocol", "l10n"], packages: [] },
	"extension/views/inspector-state.ts": { rooms: ["agent-host/protocol", "media/inspector-wire.ts"], packages: [] },
	media: {
		rooms: ["agent-host/protocol", "l10n"],
		packages: ["preact", "preact/hooks", "@preact/signals", "markdown-it", "highlight.js"],
	},
	"media/wire.ts": { rooms: ["agent-host/protocol", "media/inspector-wire.ts"], packages: ["zod"] },
	"media/inspector-wire.ts": { rooms: ["agent-host/protocol"], packages: ["zod"] },
};

const EFFECTS_BY_NAME =
	/\b(?:Date\.now|new Date\(\)|Math\.random|process\.(?:env|cwd|exit)|setTimeout|setInterval|fetch)\b/;
const PURE = [
	"agent-host/protocol",
	"agent-host/spending",
	"agent-host/network/addresses.ts",
	"agent-host/network/client-hello.ts",
	"agent-host/network/host-name.ts",
	"agent-host/network/request-head.ts",
	"agent-host/network/rules.ts",
	"agent-host/permissions",
	"agent-host/envelope",
	"agent-host/context",
	"agent-host/history",
	"agent-host/patch",
	"agent-host/review",
	"agent-host/compaction",
	"agent-host/tools",
	"agent-host/sandbox/linux/layout.ts",
	"agent-host/sandbox/linux/options.ts",
	"agent-host/sandbox/macos/seatbelt.ts",
	"agent-host/sandbox/macos/text.ts",
	"agent-host/sandbox/macos/rules.ts",
	"agent-host/sandbox/macos/profile.ts",
	"agent-host/sandbox/windows.ts",
	"agent-host/sandbox/linux/choose-backend.ts",
	"agent-host/sandbox/linux/wsl.ts",
	"agent-host/sandbox/linux/seccomp.ts",
	"agent-host/sandbox/prove/attempts.ts",
	"agent-host/sandbox/linux/syscalls.ts",
	"agent-host/sandbox/command/environment.ts",
	"agent-host/sandbox/command/output.ts",
	"agent-host/sandbox/reading/caches.ts",
	"agent-host/store/record.ts",
	"agent-host/store/replay.ts",
	"agent-host/store/rewrite.ts",
	"agent-host/store/thread-state.ts",
	"agent-host/store/merge-patch.ts",
	"agent-host/store/scan.ts",
	"agent-host/store/apart.ts",
	"agent-host/surfaces/cli/arg0.ts",
	"media/transcript",
];

test("every source file stands in a room and imports only what its room may", () => {
	assert.deepEqual(sources().flatMap(violationsOf), []);
});

test("pure rooms name no clock, process or network", () => {
	const found = sources()
		.filter((file) => PURE.some((room) => isIn(file, room)))
		.filter((file) => EFFECTS_BY_NAME.test(withoutComments(readFileSync(join(ROOT, file), "utf8"))));
	assert.deepEqual(found, []);
});

test("no two source files import each other, directly or in a circle", () => {
	assert.deepEqual(findCycle(), undefined);
});

test("the page's code takes only types from the protocol, so no schema library reaches it", () => {
	const found = sources()
		.filter((file) => isIn(file, "media") && !["media/wire.ts", "media/inspector-wire.ts"].includes(file))
		.flatMap((file) => importsOf(file).filter(({ target, typeOnly }) => !typeOnly && /agent-host|wire/.test(target)));
	assert.deepEqual(found, []);
});

function sources(): readonly string[] {
	return ["agent-host", "extension", "l10n", "media"].flatMap((room) =>
		readdirSync(join(ROOT, room), { recursive: true, encoding: "utf8" })
			.map((file) => join(room, file))
			.filter((file) => /\.tsx?$/.test(file) && !file.includes("dist")),
	);
}

interface Import {
	readonly target: string;
	readonly typeOnly: boolean;
}

function importsOf(file: string): readonly Import[] {
	const text = withoutComments(readFileSync(join(ROOT, file), "utf8"));
	const found = text.matchAll(
		/^(import|export)\s+(type\s+)?[^;]*?from\s+"([^"]+)"|import\(\s*"([^"]+)"\s*\)|^import\s+"([^"]+)"/gm,
	);
	return [...found].map((match) => {
		const target = match[3] ?? match[4] ?? match[5] ?? "";
		const path = target.startsWith(".") ? normalize(join(dirname(file), target)) : target;
		return { target: path, typeOnly: match[2] !== undefined };
	});
}

function violationsOf(file: string): readonly string[] {
	const room = roomOf(file);
	if (room === undefined) return [`${file} stands in no room`];
	const allowed = ROOMS[room];
	return importsOf(file)
		.filter(({ target }) => {
			if (target.endsWith(".css")) return false;
			if (!/^(?:agent-host|extension|l10n|media)\//.test(target)) {
				return !allowed?.packages.some((name) => target === name || target.startsWith(`${name}/lib/`));
			}
			const own = roomOf(target) === room || isIn(target, folderOf(room));
			return !own && !allowed?.rooms.some((name) => isIn(target, name));
		})
		.map(({ target }) => `${file} may not import ${target}`);
}

function folderOf(room: string): string {
	return room.endsWith(".ts") ? dirname(room) : room;
}

function roomOf(file: string): string | undefined {
	return Object.keys(ROOMS)
		.filter((room) => isIn(file, room))
		.sort((a, b) => b.length - a.length)[0];
}

function isIn(file: string, room: string): boolean {
	return file === room || file.startsWith(`${room}/`);
}

function withoutComments(text: string): string {
	return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}

function findCycle(): readonly string[] | undefined {
	const state = new Map<string, "open" | "done">();
	const visit = (file: string, way: readonly string[]): readonly string[] | undefined => {
		if (state.get(file) === "done") return undefined;
		if (state.get(file) === "open") return [...way.slice(way.indexOf(file)), file];
		state.set(file, "open");
		for (const { target } of importsOf(file).filter((entry) => /\.tsx?$/.test(entry.target))) {
			const cycle = visit(target, [...way, file]);
			if (cycle !== undefined) return cycle;
		}
		state.set(file, "done");
		return undefined;
	};
	for (const file of sources()) {
		const cycle = visit(file, []);
		if (cycle !== undefined) return cycle;
	}
	return undefined;
}
