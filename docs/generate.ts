// Writes the generated pages and parts of pages from the code, and the table of model facts. With --check it only compares.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FRAGMENTS, SECTIONS } from "../agent-host/context/catalog.ts";
import { ApprovalRequest, ApprovalSubject } from "../agent-host/protocol/approval/approval.ts";
import {
	CLIENT_METHODS,
	CLIENT_NOTIFICATIONS,
	HOST_METHODS,
	HOST_NOTIFICATIONS,
} from "../agent-host/protocol/catalog.ts";
import { HOST_ERRORS } from "../agent-host/protocol/errors.ts";
import { HostStatus } from "../agent-host/protocol/host/host.ts";
import { HostOptions } from "../agent-host/protocol/host/host-options.ts";
import type { Method, Notification } from "../agent-host/protocol/method.ts";
import { PartialSettings } from "../agent-host/protocol/settings/settings.ts";
import {
	EnvelopeSummary,
	PublishedEvent,
	ThreadEvent,
	TokenCount,
	TurnError,
} from "../agent-host/protocol/thread/events.ts";
import { Item } from "../agent-host/protocol/thread/item.ts";
import { ThreadSummary } from "../agent-host/protocol/thread/thread.ts";
import { UserInput } from "../agent-host/protocol/thread/turn.ts";
import { NOT_YET_USED } from "../test/support/not-yet-used.ts";
import { FLOORS, PURE, ROOMS } from "../test/support/rooms.ts";
import { createDescriber } from "./describe-schema.ts";
import { factsModule } from "./model-facts.ts";
import { modelsPage } from "./models.ts";
import { platformsPage } from "./platforms.ts";
import { surfacesPage } from "./surfaces.ts";

const ROOT = join(import.meta.dirname, "..");
const ROOMS_BEGIN = "<!-- generated: rooms -->";
const CONTEXT_BEGIN = "<!-- generated: context catalogue -->";
const END = "<!-- end of generated -->";

const TYPES = {
	HostOptions,
	Settings: PartialSettings,
	HostStatus,
	UserInput,
	ThreadSummary,
	ApprovalRequest,
	ApprovalSubject,
	PublishedEvent,
	ThreadEvent,
	Item,
	EnvelopeSummary,
	TokenCount,
	TurnError,
};
const { describe, define } = createDescriber(new Map(Object.entries(TYPES).map(([name, schema]) => [schema, name])));

const pages = {
	"docs/protocol.md": protocolPage(),
	"docs/platforms.md": platformsPage(),
	"docs/models.md": modelsPage(),
	"docs/surfaces.md": surfacesPage(),
	"agent-host/model-facts/table.ts": factsModule(),
	"docs/context.md": withGenerated("docs/context.md", CONTEXT_BEGIN, catalogueTable()),
	"ARCHITECTURE.md": withGenerated("ARCHITECTURE.md", ROOMS_BEGIN, roomsTable()),
};
const stale = Object.entries(pages).filter(([path, text]) => readOrEmpty(path) !== text);
if (process.argv.includes("--check")) {
	for (const [path] of stale) console.error(`${path} is not what the code says: run npm run docs.`);
	process.exitCode = stale.length > 0 ? 1 : 0;
} else for (const [path, text] of stale) writeFileSync(join(ROOT, path), text);

function protocolPage(): string {
	return [
		"# The host's protocol",
		"",
		"Generated from `agent-host/protocol` by `npm run docs`. JSON-RPC 2.0 with the language-server framing over stdio (`--stdio`), or Node's ipc channel (`--node-ipc`).",
		"",
		"Besides the messages below, the host understands the language-server messages `initialize`, `initialized`, `workspace/didChangeWorkspaceFolders`, `textDocument/didOpen`, `didChange` (incremental), `didSave`, `didClose`, `$/cancelRequest`, `shutdown` and `exit`, and sends `window/logMessage` and, for a request whose params have a `workDoneToken`, `$/progress`. A cancelled request that only reads is answered with -32800 (`cancelled`); one that changes something is answered with the outcome. `initializationOptions` is a `HostOptions`.",
		"",
		"## Requests, client to host",
		"",
		...Object.values(HOST_METHODS).flatMap(methodLines),
		"## Notifications, client to host",
		"",
		...Object.values(HOST_NOTIFICATIONS).flatMap(notificationLines),
		"## Requests, host to client",
		"",
		...Object.values(CLIENT_METHODS).flatMap(methodLines),
		"## Notifications, host to client",
		"",
		...Object.values(CLIENT_NOTIFICATIONS).flatMap(notificationLines),
		"## Types",
		"",
		"Durable events carry `seq`, contiguous from 1 in each thread; `itemDelta` carries none.",
		"",
		...Object.entries(TYPES).flatMap(([name, schema]) => [code(`type ${name} = ${define(schema)}`), ""]),
		"## Errors",
		"",
		"`data.kind` names the error, and `data.values`, if present, what it is about. Clients act on these, never on the sentence. Bad params are `InvalidParams` (-32602) with the path of the field.",
		"",
		"| Kind | Code |",
		"| --- | --- |",
		...Object.entries(HOST_ERRORS).map(([kind, number]) => `| \`${kind}\` | ${number} |`),
		"",
	].join("\n");
}

function methodLines(method: Method): readonly string[] {
	return [
		`### \`${method.name}\``,
		"",
		method.about,
		"",
		code(`${describe(method.params)}\n→ ${describe(method.result)}`),
		"",
	];
}

function notificationLines(notification: Notification): readonly string[] {
	return [`### \`${notification.name}\``, "", notification.about, "", code(describe(notification.params)), ""];
}

function withGenerated(path: string, begin: string, table: string): string {
	const [before = "", rest = ""] = readOrEmpty(path).split(begin);
	const [, after = ""] = rest.split(END);
	return `${before}${begin}\n${table}\n${END}${after}`;
}

function roomsTable(): string {
	const rows = Object.entries(ROOMS).flatMap(([room, { what }]) => [
		`| \`${room}\`${pureMark(room)} | ${what} |`,
		...Object.entries(FLOORS[room] ?? {}).map(
			([floor, about]) => `| &emsp;\`${floorName(room, floor)}\`${pureMark(`${room}/${floor}`)} | ${about} |`,
		),
	]);
	return ["| Room | What it is for |", "| --- | --- |", ...rows].join("\n");
}

function floorName(room: string, floor: string): string {
	return `${room.replace(/^agent-host\//, "")}/${floor}`;
}

function pureMark(place: string): string {
	return PURE.some((pure) => place === pure || place.startsWith(`${pure}/`)) ? " ●" : "";
}

function catalogueTable(): string {
	const kept = new Set<string>(SECTIONS.map(({ kinds: [own] }) => own));
	const waiting: Readonly<Record<string, string>> = NOT_YET_USED.fragments;
	const rows = FRAGMENTS.filter(({ kind }) => !(kind in waiting)).map(
		({ kind, role, tag, origin, maxChars, about }) =>
			`| \`${kind}\` | ${role} | ${tag === undefined ? "–" : `\`<${tag}>\``} | ${origin} | ${maxChars} | ${kept.has(kind) ? "yes" : "–"} | ${about} |`,
	);
	const later = Object.entries(waiting).map(([kind, capability]) => `\`${kind}\` (${capability})`);
	return [
		"| Kind | Role | Tag | Origin | Most characters | Diffed | What the model learns |",
		"| --- | --- | --- | --- | --- | --- | --- |",
		...rows,
		...(later.length === 0 ? [] : ["", `Declared for what is to come, and never sent today: ${later.join(", ")}.`]),
	].join("\n");
}

function code(text: string): string {
	return `\`\`\`ts\n${text}\n\`\`\``;
}

function readOrEmpty(path: string): string {
	try {
		return readFileSync(join(ROOT, path), "utf8");
	} catch {
		return "";
	}
}
