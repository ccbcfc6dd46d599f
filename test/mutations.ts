// Switches off one protection at a time, in a copy of the repository, and says which test notices. Not part of the tests.
// Usage: node test/mutations.ts [word of a protection's name …]. Fails if no test notices one of them.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

const ROOT = join(import.meta.dirname, "..");

interface Mutation {
	/** What is switched off. */
	readonly protection: string;
	readonly file: string;
	/** Must be in the file exactly once. */
	readonly find: string;
	readonly replace: string;
	/** Most likely to notice first. */
	readonly tests: readonly string[];
}

const DISK_TESTS = [
	"test/security/disk.test.ts",
	"test/faults/crash-points.test.ts",
	"test/faults/failing-disk.test.ts",
];

const MUTATIONS: readonly Mutation[] = [
	{
		protection: "a sandbox that was found not to hold starts nothing",
		file: "agent-host/session/health/policy-probe.ts",
		find: "refused() ?? sandbox.start(request, options)",
		replace: "(refused(), sandbox.start(request, options))",
		tests: ["test/unit/session/policy-probe.test.ts"],
	},
	{
		protection: "a trial of the policy that says nothing proves nothing",
		file: "agent-host/sandbox/prove/script.ts",
		find: 'said.get(index) ?? "untried"',
		replace: 'said.get(index) ?? "refused"',
		tests: ["test/sandbox/policy-probe.test.ts"],
	},
	{
		protection: "what a trial of the policy could make is taken away again",
		file: "agent-host/sandbox/prove/prove.ts",
		find: "if (isOurs) unlinkSync(path);",
		replace: "",
		tests: ["test/sandbox/policy-probe.test.ts"],
	},
	{
		protection: "a limit of the user's, before each request",
		file: "agent-host/session/turn/run-step.ts",
		find: "await turn.spending.beforeRequest(turn.envelope);",
		replace: "",
		tests: ["test/host/budgets.test.ts"],
	},
	{
		protection: "a limit on money, with a model whose price nobody knows",
		file: "agent-host/spending/limits.ts",
		find: "hasMoneyLimit && price === undefined",
		replace: "hasMoneyLimit && price === null",
		tests: ["test/unit/spending/limits.test.ts"],
	},
	{
		protection: "record checksum, when a thread is loaded",
		file: "agent-host/store/scan.ts",
		find: "if (!beginning.startsWith(",
		replace: 'if (beginning === "" && !beginning.startsWith(',
		tests: ["test/unit/store/store.test.ts", "test/host/storage.test.ts", "test/host/history.test.ts"],
	},
	{
		protection: "record checksum, when a line is read",
		file: "agent-host/store/record.ts",
		find: "if (line.slice(0, CHECKSUM_CHARS + 1) !== ",
		replace: 'if (line === "" && line.slice(0, CHECKSUM_CHARS + 1) !== ',
		tests: ["test/unit/store/store.test.ts", "test/host/storage.test.ts"],
	},
	{
		protection: "sync before an answer",
		file: "agent-host/store/thread-log.ts",
		find: 'if (durability === "synced") await sync();',
		replace: "",
		tests: DISK_TESTS,
	},
	{
		protection: "fdatasync on the real disk",
		file: "agent-host/store/disk.ts",
		find: "sync: () => handle.datasync(),",
		replace: "sync: async () => undefined,",
		tests: ["test/security/disk.test.ts"],
	},
	{
		protection: "truncate-back after a short write",
		file: "agent-host/store/thread-log.ts",
		find: "await target.truncate(size).catch(",
		replace: "await Promise.resolve().catch(",
		tests: DISK_TESTS,
	},
	{
		protection: "new segment after a failed sync",
		file: "agent-host/store/thread-log.ts",
		find: "\t\t\tawait goOnInNewSegment();\n",
		replace: "\t\t\tawait file?.sync();\n",
		tests: DISK_TESTS,
	},
	{
		protection: "checksum of what is kept apart",
		file: "agent-host/store/blobs.ts",
		find: "json !== undefined && hashOf(json) === sha256",
		replace: "json !== undefined",
		tests: ["test/unit/store/apart.test.ts"],
	},
	{
		protection: "what is kept apart before its record",
		file: "agent-host/store/thread-log.ts",
		find: "for (const apart of parted.flatMap((one) => one.apart)) await blobs.put(apart);",
		replace: "for (const apart of parted.flatMap((one) => one.apart)) void blobs.put(apart);",
		tests: ["test/unit/store/apart.test.ts", ...DISK_TESTS],
	},
	{
		protection: "durable name of what is kept apart",
		file: "agent-host/store/blobs.ts",
		find: "\t\t\tawait disk.syncFolder(folder);\n",
		replace: "",
		tests: ["test/unit/store/apart.test.ts", ...DISK_TESTS],
	},
	{
		protection: "names of what is kept apart",
		file: "agent-host/store/blobs.ts",
		find: "if (!NAME.test(sha256)) return undefined;",
		replace: "",
		tests: ["test/unit/store/apart.test.ts"],
	},
	{
		protection: "length of a line",
		file: "agent-host/store/apart.ts",
		find: "if (fixed.line.length <= MAX_LINE_BYTES) return fixed;",
		replace: "if (fixed.line.length > 0) return fixed;",
		tests: ["test/unit/store/apart.test.ts"],
	},
	{
		protection: "holding the model up for a client that does not read",
		file: "agent-host/session/turn/response-writer.ts",
		find: "if (room !== undefined) await room;",
		replace: "if (room !== undefined) void room;",
		tests: ["test/faults/cancel.test.ts"],
	},
	{
		protection: "letting go of idle threads",
		file: "agent-host/session/thread/threads.ts",
		find: "\t\t\tletIdleGo();\n",
		replace: "",
		tests: ["test/host/two-hosts.test.ts"],
	},
	{
		protection: "field by field check of what is brought in",
		file: "agent-host/store/transfer.ts",
		find: "if (!record.success) throw",
		replace: "if (record === undefined) throw",
		tests: ["test/host/history.test.ts"],
	},
	{
		protection: "count of invisible characters",
		file: "agent-host/context/fragment.ts",
		find: 'return count === 0 ? [] : [["invisible", String(count)]];',
		replace: "return count >= 0 ? [] : [];",
		tests: ["test/security/outside-text.test.ts"],
	},
	{
		protection: "guard of new questions",
		file: "media/approval/guard.ts",
		find: "this.#isPressRefused = at < this.#openFrom;",
		replace: "this.#isPressRefused = at < 0;",
		tests: ["test/unit/media/approvals.test.ts", "test/page/approvals.test.ts"],
	},
	{
		protection: "reading to the end before allowing",
		file: "media/approval/card.tsx",
		find: 'isRead ? "ready" : "unread"',
		replace: 'isRead ? "ready" : "ready"',
		tests: ["test/page/approvals.test.ts"],
	},
	{
		protection: "spelling of what deceives",
		file: "media/approval/spell.ts",
		find: 'pieces.push({ kind: "foreign", text: part });',
		replace: 'pieces.push({ kind: "plain", text: part });',
		tests: ["test/unit/media/approvals.test.ts", "test/page/approvals.test.ts"],
	},
	{
		protection: "thread lock",
		file: "agent-host/store/lock.ts",
		find: 'database.exec("BEGIN EXCLUSIVE");',
		replace: "",
		tests: ["test/host/two-hosts.test.ts"],
	},
	{
		protection: "folders that Seatbelt holds in their place",
		file: "agent-host/sandbox/macos/rules.ts",
		find: "		...heldRules(policy, files),\n",
		replace: "",
		tests: ["test/unit/sandbox/macos.test.ts"],
	},
	{
		protection: "hash of the package's own bubblewrap",
		file: "agent-host/sandbox/linux/bundled.ts",
		find: 'sha256 === slot.sha256 ? "filled" : "changed"',
		replace: 'sha256.length === slot.sha256.length ? "filled" : "changed"',
		tests: ["test/unit/sandbox/locate.test.ts"],
	},
	{
		protection: "Landlock for policies without carve-outs only",
		file: "agent-host/sandbox/linux/choose-backend.ts",
		find: "if (mode === undefined) return",
		replace: "if (mode === undefined && policy.filesystem.length === 0) return",
		tests: ["test/unit/sandbox/linux-backend.test.ts"],
	},
	{
		protection: "link check on open handles",
		file: "agent-host/sandbox/files/files.ts",
		find: "return readable(held) ? undefined : leadsOut(path);",
		replace: "return held === path ? undefined : undefined;",
		tests: ["test/host/read-file.test.ts", "test/security/files.test.ts"],
	},
	{
		protection: "link check before opening",
		file: "agent-host/sandbox/files/files.ts",
		find: "return readable(real) ? { ok: true, real }",
		replace: "return readable(real) || real.length > 0 ? { ok: true, real }",
		tests: ["test/host/read-file.test.ts"],
	},
	{
		protection: "root containment in decide",
		file: "agent-host/permissions/decide.ts",
		find: "if (!policy.folders.some((folder) => isInside(path, folder))) {",
		replace: 'if (!policy.folders.some((folder) => folder === path || isInside(path, "/"))) {',
		tests: ["test/unit/permissions/decide.test.ts", "test/host/read-file.test.ts"],
	},
	{
		protection: "mass deletion is asked about in every mode",
		file: "agent-host/permissions/blast-radius.ts",
		find: "if (deletes.isWhole && deletes.files <= MASS_CHANGE) return undefined;",
		replace: "if (deletes.files >= 0) return undefined;",
		tests: ["test/unit/permissions/blast-radius.test.ts"],
	},
	{
		protection: "no-follow of folders on the way to a patched file",
		file: "agent-host/sandbox/apply/held-folder.ts",
		find: "O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);\n\tconst { base, prove } = reach(handle, path);\n\ttry {\n\t\tawait prove();",
		replace: "O_RDONLY | O_DIRECTORY);\n\tconst { base, prove } = reach(handle, path);\n\ttry {",
		tests: ["test/security/patch.test.ts"],
	},
	{
		protection: "write roots of patches",
		file: "agent-host/sandbox/apply/place.ts",
		find: ".filter((root) => root !== undefined && isInside(resolved, root))",
		replace: ".filter((root) => root !== undefined)",
		tests: ["test/security/patch.test.ts", "test/host/apply-patch-command.test.ts"],
	},
	{
		protection: "journal of patches",
		file: "agent-host/sandbox/apply/transaction.ts",
		find: "\t\tawait journal.begin(id, plan);\n",
		replace: "",
		tests: ["test/faults/patch-crash.test.ts"],
	},
	{
		protection: "undo of a patch that failed halfway",
		file: "agent-host/sandbox/apply/settle.ts",
		find: "\t\tawait folder.rename(step.backup, step.name);\n",
		replace: "",
		tests: ["test/faults/patch-crash.test.ts"],
	},
	{
		protection: "comparison right before a file is replaced",
		file: "agent-host/sandbox/apply/transaction.ts",
		find: "if (entry?.identity !== old?.identity) throw new ChangedMeanwhile();",
		replace: "",
		tests: ["test/security/patch.test.ts"],
	},
	{
		protection: "a patch is applied only as it was judged",
		file: "agent-host/sandbox/apply/apply-files.ts",
		find: "options.judged !== undefined && !isAsJudged(verified, options.judged)",
		replace: "options.judged !== undefined && verified.changes.length === 0 && !isAsJudged(verified, options.judged)",
		tests: ["test/security/patch.test.ts"],
	},
	{
		protection: "stale reads",
		file: "agent-host/session/ports/patch-ports.ts",
		find: "return findStale(changes, cwd, reads);",
		replace: "return changes.length > 0 ? undefined : findStale(changes, cwd, reads);",
		tests: ["test/unit/session/patch-ports.test.ts"],
	},
	{
		protection: "key redaction",
		file: "agent-host/model/wires/connection/secret.ts",
		find: 'if (key === "") return failure;',
		replace: 'if (key !== "-") return failure;',
		tests: ["test/unit/model/real-servers.test.ts", "test/host/turn.test.ts"],
	},
	{
		protection: "refusal of redirects",
		file: "agent-host/model/wires/connection/server.ts",
		find: 'redirect: "manual"',
		replace: 'redirect: "follow"',
		tests: ["test/unit/model/real-servers.test.ts", "test/host/turn.test.ts"],
	},
	{
		protection: "frame size limit",
		file: "agent-host/surfaces/editor/frames.ts",
		find: "else if (length > MAX_FRAME_BYTES) {",
		replace: "else if (length > Number.MAX_SAFE_INTEGER) {",
		tests: ["test/unit/surfaces/frames.test.ts"],
	},
	{
		protection: "nesting limit",
		file: "agent-host/surfaces/editor/frames.ts",
		find: "if (depthOf(body) > MAX_DEPTH)",
		replace: "if (depthOf(body) < 0)",
		tests: ["test/unit/surfaces/frames.test.ts"],
	},
	{
		protection: "idle limit",
		file: "agent-host/model/watchdog.ts",
		find: "setTimeout(() => idle.abort(failure), ms)",
		replace: "setTimeout(() => idle.abort(failure), 1_000 * ms)",
		tests: ["test/unit/model/model.test.ts", "test/host/faults.test.ts"],
	},
	{
		protection: "envelope freeze",
		file: "agent-host/envelope/resolve.ts",
		find: "\t\tObject.freeze(value);\n",
		replace: "",
		tests: ["test/unit/envelope/resolve.test.ts"],
	},
	{
		protection: "Markdown link scheme check",
		file: "media/view/markdown/markdown-parser.ts",
		find: "/^https?:\\/\\//i.test(url)",
		replace: 'url !== ""',
		tests: ["test/unit/media/markdown.test.ts", "test/page/hostile.test.ts"],
	},
	{
		protection: "text instead of HTML",
		file: "media/view/markdown/markdown.ts",
		find: 'return h("hr", null);',
		replace: 'return h("div", { dangerouslySetInnerHTML: { __html: token.markup } });',
		tests: ["test/security/bundle.test.ts"],
	},
	{
		protection: "images are what their bytes say",
		file: "agent-host/session/turn/turn-images.ts",
		find: "if (picture === undefined) throw refuse(`",
		replace: "if (picture === undefined && bytes.length === 0) throw refuse(`",
		tests: ["test/host/images.test.ts"],
	},
	{
		protection: "no image for a model that reads none",
		file: "agent-host/history/normalize.ts",
		find: 'item.kind === "userImage" ? LEFT_OUT : item',
		replace: "item",
		tests: ["test/unit/history/image.test.ts"],
	},
	{
		protection: "images as text",
		file: "media/view/markdown/markdown.ts",
		find: '\t\t\t\t{ class: "image-text" },\n',
		replace: '\t\t\t\t{ class: "image-text", style: { backgroundImage: "url(" + token.attrGet("src") + ")" } },\n',
		tests: ["test/unit/media/markdown.test.ts", "test/security/page.test.ts"],
	},
	{
		protection: "policy of the page",
		file: "extension/panel/page.ts",
		find: "\t\t\"default-src 'none'\",\n",
		replace: "",
		tests: ["test/unit/extension/extension.test.ts", "test/security/policy.test.ts"],
	},
	{
		protection: "parsing of the page's messages",
		file: "extension/panel/chat-view.ts",
		find: "const message = FromWebview.safeParse(raw);",
		replace: "const message = { success: true as boolean, data: raw as FromWebview };",
		tests: ["test/security/panel.test.ts"],
	},
	{
		protection: "list of commands a page may run",
		file: "media/wire.ts",
		find: "command: z.enum(PANEL_COMMANDS)",
		replace: "command: z.string()",
		tests: ["test/security/messages.test.ts", "test/security/panel.test.ts"],
	},
	{
		protection: "scheme check before a link is opened",
		file: "extension/panel/open-link.ts",
		find: 'if (protocol !== "https:" && protocol !== "http:") return;',
		replace: "",
		tests: ["test/security/panel.test.ts"],
	},
	{
		protection: "nothing of an untrusted workspace's permissions counts",
		file: "extension/facts/permissions.ts",
		find: 'if (trust === "restricted") return own;',
		replace: "",
		tests: ["test/unit/extension/permissions.test.ts"],
	},
	{
		protection: "a workspace may not loosen approval",
		file: "extension/facts/permissions.ts",
		find: 'return own === "onRequest" ? asked : own;',
		replace: "return asked;",
		tests: ["test/unit/extension/permissions.test.ts"],
	},
	{
		protection: "an approval is for what was shown",
		file: "extension/host/approvals.ts",
		find: "if (digest !== request.digest) return",
		replace: 'if (digest === "") return',
		tests: ["test/unit/extension/approvals.test.ts"],
	},
	{
		protection: "network: a rule that closes beats one that opens",
		file: "agent-host/network/rules.ts",
		find: "if (closed !== undefined) return",
		replace: "if (closed !== undefined && rules.length === 0) return",
		tests: ["test/unit/network/rules.test.ts"],
	},
	{
		protection: "network: an address must be public",
		file: "agent-host/network/rules.ts",
		find: "if (!isPublic(address)) {",
		replace: 'if (!isPublic(address) && text === "") {',
		tests: ["test/unit/network/rules.test.ts", "test/unit/network/proxy.test.ts"],
	},
	{
		protection: "network: a star does not open the host itself",
		file: "agent-host/network/rules.ts",
		find: 'return covers === "host" ? ',
		replace: 'return covers === "host" || target.host.name === host.name ? ',
		tests: ["test/unit/network/rules.test.ts"],
	},
	{
		protection: "network: a name is resolved once",
		file: "agent-host/network/dial-checked.ts",
		find: "ports.dial(address, port)",
		replace: 'ports.dial(host.kind === "name" ? ((await ports.lookup(host.name))[0] ?? address) : address, port)',
		tests: ["test/unit/network/proxy.test.ts"],
	},
	{
		protection: "network: TLS names the host that was asked for",
		file: "agent-host/network/client-hello.ts",
		find: "if (named !== undefined && hostText(named) === hostText(host)) return PASS;",
		replace: "if (named !== undefined) return PASS;",
		tests: ["test/unit/network/client-hello.test.ts"],
	},
	{
		protection: "network: a tunnel's first bytes wait for their verdict",
		file: "agent-host/network/carry.ts",
		find: "if (held === undefined) return",
		replace: "if (held !== undefined) return",
		tests: ["test/unit/network/proxy.test.ts"],
	},
	{
		protection: "network: the Host header is the address's host",
		file: "agent-host/network/request-head.ts",
		find: "|| !sameTarget(named, target)",
		replace: "",
		tests: ["test/unit/network/request-head.test.ts"],
	},
	{
		protection: "network: an agent of Node's own dials nobody",
		file: "agent-host/network/carry.ts",
		find: "createConnection: () => upstream",
		replace: "agent: false, createConnection: () => upstream",
		tests: ["test/unit/network/proxy.test.ts"],
	},
	{
		protection: "network: other spellings of an address",
		file: "agent-host/network/host-name.ts",
		find: "&& !isNumeric ",
		replace: "",
		tests: ["test/unit/network/rules.test.ts"],
	},
	{
		protection: "network: connections at one time",
		file: "agent-host/network/proxy.ts",
		find: "clients.size >= MAX_CONNECTIONS ||",
		replace: "",
		tests: ["test/unit/network/proxy.test.ts"],
	},
	{
		protection: "network: time for a head",
		file: "agent-host/network/proxy.ts",
		find: "const timer = setTimeout(() => client.destroy(), headMs);",
		replace: "const timer = setTimeout(() => undefined, headMs);",
		tests: ["test/unit/network/proxy.test.ts"],
	},
	{
		protection: "network: a command is alone in a network of its own",
		file: "agent-host/sandbox/launch.ts",
		find: '"-U", "-n", "--preserve',
		replace: '"-U", "--preserve',
		tests: ["test/sandbox/commands.test.ts"],
	},
	{
		protection: "contents are part of what was approved",
		file: "agent-host/tools/apply-patch.ts",
		find: "...(before === undefined ? {} : { before }),",
		replace: "",
		tests: ["test/host/approved-is-seen.test.ts"],
	},
	{
		protection: "a protected file is never granted for a thread",
		file: "agent-host/session/turn/shown-subject.ts",
		find: "file.protected === undefined && file.binary === undefined",
		replace: "file.binary === undefined",
		tests: ["test/host/approved-is-seen.test.ts"],
	},
	{
		protection: "a diff that a card does not show whole is never granted for a thread",
		file: "agent-host/session/turn/shown-subject.ts",
		find: "shownOf(subject) === subject &&",
		replace: "",
		tests: ["test/host/approved-is-seen.test.ts"],
	},
	{
		protection: "a program that took the place of the approved one does not run",
		file: "agent-host/sandbox/command/launch-identity.ts",
		find: 'return [dev, ino, size, mtimeNs, ctimeNs].join(":");',
		replace: "return String([dev, ino, size, mtimeNs, ctimeNs].length);",
		tests: ["test/host/approved-is-seen.test.ts"],
	},
	{
		protection: "input for a running command is judged",
		file: "agent-host/tools/write-command-input.ts",
		find: 'return { kind: "input", processId, escalated: found.call.escalated, rights: found.rights };',
		replace: 'return { kind: "none" };',
		tests: ["test/host/approved-is-seen.test.ts"],
	},
	{
		protection: "background commands end when rights shrink",
		file: "agent-host/session/end-beyond.ts",
		find: "const ended = await processes.endBeyond(threadId, policy);",
		replace: "const ended = policy === undefined ? await processes.endBeyond(threadId, policy) : [];",
		tests: ["test/host/approved-is-seen.test.ts"],
	},
	{
		protection: "a closed place is refused before anything is looked at",
		file: "agent-host/sandbox/apply/place.ts",
		find: "if (closed !== undefined) return { resolved: where.real, refusal: closed, closed: true };",
		replace: "",
		tests: ["test/host/refusals-tell-nothing.test.ts"],
	},
	{
		protection: "why a patch does not fit is told only of files that may be read",
		file: "agent-host/session/ports/patch-ports.ts",
		find: "if (found.files.every(({ resolved }) => mayTell(resolved))) return problem;",
		replace: "return problem;",
		tests: ["test/host/refusals-tell-nothing.test.ts"],
	},
	{
		protection: "names that lead to a closed file are closed too",
		file: "agent-host/permissions/decide.ts",
		find: "const closed = [resolved, ...via].find(",
		replace: "const closed = [resolved].find(",
		tests: ["test/host/refusals-tell-nothing.test.ts"],
	},
	{
		protection: "instructions are not read from links",
		file: "agent-host/capabilities/instructions.ts",
		find: 'origin === "workspace" && name === "link"',
		replace: 'origin === "workspace" && name === "none"',
		tests: ["test/host/refusals-tell-nothing.test.ts"],
	},
	{
		protection: "plain HTTP in a tunnel is refused",
		file: "agent-host/network/plain-opening.ts",
		find: "if (/[ \\t]HTTP\\//i.test(line)) return DENIED;",
		replace: "",
		tests: ["test/unit/network/client-hello.test.ts"],
	},
	{
		protection: "a hello that hides its name is refused",
		file: "agent-host/network/client-hello.ts",
		find: "if (ENCRYPTED_HELLOS.includes(kind)) hidesName = true;",
		replace: "",
		tests: ["test/unit/network/client-hello.test.ts"],
	},
	{
		protection: "a fence that nothing ends",
		file: "extension/review/fence.ts",
		find: '"`".repeat(longest + 1)',
		replace: '"`".repeat(3)',
		tests: ["test/unit/extension/outside-code.test.ts"],
	},
];

const COPIED = [
	"agent-host",
	"extension",
	"l10n",
	"media",
	"test",
	"docs",
	"build.ts",
	"package.json",
	"package.nls.json",
	"package.nls.de.json",
	"package.nls.es.json",
	"package.nls.ja.json",
	"package.nls.zh-cn.json",
	"tsconfig.json",
	".vscodeignore",
	"README.md",
	"CHANGELOG.md",
	"LICENSE",
];
/** Longer than the slowest of the tests takes on a busy machine; one that hangs has noticed something. */
const TEST_LIMIT_MS = 120_000;

function copyRepository(): string {
	const copy = mkdtempSync(join(tmpdir(), "vitrine-mutations-"));
	const isWanted = (path: string) => !/(?:^|\/)node_modules$/.test(relative(ROOT, path));
	for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true, filter: isWanted });
	for (const modules of ["node_modules", "test/editor/vscode/node_modules"]) {
		symlinkSync(join(ROOT, modules), join(copy, modules));
	}
	return copy;
}

/** The file without its protection. */
function weaken({ protection, file, find, replace }: Mutation): string {
	const parts = readFileSync(join(ROOT, file), "utf8").split(find);
	if (parts.length !== 2) throw new Error(`${protection}: its text is ${parts.length - 1} times in ${file}.`);
	return parts.join(replace);
}

function build(copy: string): void {
	execFileSync(process.execPath, ["build.ts"], { cwd: copy, stdio: ["ignore", "ignore", "inherit"] });
}

function passes(copy: string, test: string): boolean {
	const env = {
		...process.env,
		VITRINE_HOST_BUNDLE: join(copy, "dist/agent-host.mjs"),
		VITRINE_PAGE_DIST: join(copy, "media/dist"),
	};
	const args = ["--test", "--test-reporter=dot", test];
	return spawnSync(process.execPath, args, { cwd: copy, env, stdio: "ignore", timeout: TEST_LIMIT_MS }).status === 0;
}

function chooseMutations(words: readonly string[]): readonly Mutation[] {
	if (words.length === 0) return MUTATIONS;
	return MUTATIONS.filter(({ protection }) => words.some((word) => protection.includes(word)));
}

/** A test that fails anyway would seem to notice everything, so each is first run without any change. */
function createBaseline(clean: string): (test: string) => boolean {
	const known = new Map<string, boolean>();
	build(clean);
	return (test) => {
		const passed = known.get(test) ?? passes(clean, test);
		if (!passed && !known.has(test)) console.log(`${test} fails without any change and is left out`);
		known.set(test, passed);
		return passed;
	};
}

/** Says which test notices that a protection is gone. */
function findCatcher(copy: string, mutation: Mutation, isSound: (test: string) => boolean): string | undefined {
	writeFileSync(join(copy, mutation.file), weaken(mutation));
	try {
		build(copy);
		return mutation.tests.find((test) => isSound(test) && !passes(copy, test));
	} finally {
		cpSync(join(ROOT, mutation.file), join(copy, mutation.file));
	}
}

function main(words: readonly string[]): boolean {
	const chosen = chooseMutations(words);
	// A text that is no longer there should not be found out after minutes.
	for (const mutation of chosen) weaken(mutation);
	const [clean, copy] = [copyRepository(), copyRepository()];
	try {
		const isSound = createBaseline(clean);
		const survivors = chosen.filter((mutation) => {
			const catcher = findCatcher(copy, mutation, isSound);
			console.log(`${mutation.protection}: ${catcher === undefined ? "SURVIVED" : `caught by ${catcher}`}`);
			return catcher === undefined;
		});
		console.log(`\n${chosen.length - survivors.length} caught, ${survivors.length} survived`);
		return survivors.length === 0;
	} finally {
		for (const folder of [clean, copy]) rmSync(folder, { recursive: true, force: true });
	}
}

process.exitCode = main(process.argv.slice(2)) ? 0 : 1;
