import { CommandRule, isGlob } from "../../protocol/settings/policy-settings.ts";

/**
 * Whether a saved rule covers a command: the same words at the beginning, then only plain words and options known to be
 * harmless. Options and assignments can turn harmless programs into others (`rg --pre`, `find -exec`, `git show
 * --output`). A rule only skips the approval, never the sandbox; one for a machine without a sandbox does not count.
 */
export function matchesRule(rule: CommandRule, words: readonly string[]): boolean {
	if (rule.sandbox !== undefined || rule.decision === "deny") return false;
	if (refuseRule(rule.prefix) !== undefined || rule.prefix.length > words.length) return false;
	const known = HARMLESS_OPTIONS.get(rule.prefix.slice(0, 2).join(" ")) ?? [];
	const rest = words.slice(rule.prefix.length);
	return (
		rule.prefix.every((word, index) => word === words[index]) &&
		rest.every((word) => known.includes(word) || /^[^-+][^=]*$/.test(word))
	);
}

/** Whether a rule lets exactly this run without a sandbox. Rules for contained commands never do. */
export function matchesUncontained(rule: CommandRule, argv: readonly string[]): boolean {
	return (
		rule.sandbox === "none" &&
		rule.decision !== "deny" &&
		rule.prefix.length === argv.length &&
		rule.prefix.every((word, index) => word === argv[index])
	);
}

/** The rule to offer on a machine without a sandbox: exactly this, or none if that cannot be saved. */
export function offerUncontained(argv: readonly string[]): readonly CommandRule[] | undefined {
	const rule = CommandRule.safeParse({ prefix: argv, sandbox: "none" });
	return rule.success ? [rule.data] : undefined;
}

/** Why a prefix cannot become a rule, or undefined if it can. */
export function refuseRule(prefix: readonly string[]): string | undefined {
	const [program, ...rest] = prefix;
	if (program === undefined || program === "") return "A rule needs a program name.";
	if (prefix.some(isGlob)) return "A rule cannot have wildcards.";
	if (/[=\s]/.test(program) || !/^[\w./+@:,-]+$/.test(program)) return `${program} is not a program name.`;
	const name = (program.split("/").at(-1) ?? "").toLowerCase().replace(/\.exe$/, "");
	const family = withoutVersion(name);
	if (RUNS_OTHERS.has(name) || RUNS_OTHERS.has(family))
		return `${program} can run any code, so a rule for it would allow everything.`;
	if (NEEDS_MORE.has(name) && rest.length === 0) return `${program} is too general for a rule; include a subcommand.`;
	const isRunner = RUNNING_WORDS.get(name)?.includes(rest[0] ?? "") ?? false;
	if (isRunner && rest.length < 2) return `${program} ${rest[0]} can run any code; include what it runs.`;
	return undefined;
}

/** `python3.12` is the same program as `python`. */
function withoutVersion(name: string): string {
	let end = name.length;
	while (/^[\d.]$/.test(name.charAt(end - 1))) end -= 1;
	return name.slice(0, end);
}

/** The rule to offer for a command: its program and subcommand, without options and files. */
export function offerRule(words: readonly string[]): CommandRule | undefined {
	const [program = "", ...rest] = words;
	const verbs = rest.findIndex((word) => !/^[a-z][a-z0-9:-]*$/.test(word));
	const lengths = [
		NEEDS_MORE.has(program) || RUNNING_WORDS.has(program) ? Math.min(verbs < 0 ? rest.length : verbs, 2) : 0,
		2,
	];
	for (const length of lengths) {
		const prefix = [program, ...rest.slice(0, length)];
		if (refuseRule(prefix) === undefined && matchesRule({ prefix }, words)) return { prefix };
	}
	return undefined;
}

/** Shells, interpreters, and programs that start other programs or interpret their arguments as code. */
const RUNS_OTHERS = new Set(
	[
		"sh bash dash zsh fish ksh csh tcsh ash busybox pwsh powershell cmd",
		"python pypy node nodejs deno bun ruby perl php lua luajit tclsh wish osascript java jshell groovy scala kotlin r rscript",
		"awk gawk mawk nawk sed ed ex vi vim nvim emacs nano",
		"env sudo su doas runuser setpriv unshare nsenter chroot bwrap firejail ssh scp sftp rsync",
		"xargs parallel find fd nohup nice ionice timeout time stdbuf setsid script watch entr strace gdb lldb ltrace",
		"npx pnpx bunx uvx pipx tsx ts-node docker podman kubectl",
		"eval exec source . command builtin crontab at systemd-run rm dd mkfs mount chmod chown curl wget nc ncat socat telnet",
	].flatMap((line) => line.split(" ")),
);

/** Programs with many subcommands: the rule must name one. */
const NEEDS_MORE = new Set(
	"git hg svn npm pnpm yarn pip cargo go dotnet brew apt apt-get dnf gh aws gcloud az terraform make cmake ninja gradle mvn ant rake just task".split(
		" ",
	),
);

/** Subcommands that run something else: the rule must say what. */
const RUNNING_WORDS = new Map<string, readonly string[]>([
	...["npm", "pnpm", "yarn"].map((name) => [name, ["run", "run-script", "exec", "x", "dlx"]] as const),
	["cargo", ["run"]],
	["go", ["run", "generate"]],
	["git", ["config", "bisect", "submodule", "filter-branch", "rebase", "difftool", "mergetool"]],
	["dotnet", ["run", "exec"]],
]);

/** Options that only affect the output. */
const HARMLESS_OPTIONS = new Map<string, readonly string[]>([
	["git status", ["--short", "-s", "--branch", "-b", "--long", "--porcelain"]],
	["git diff", ["--stat", "--cached", "--staged", "--name-only", "--name-status"]],
	["git log", ["--oneline", "--stat", "--graph", "--all"]],
	["git branch", ["--list", "--all", "-a", "--show-current"]],
	["ls", ["-l", "-a", "-la", "-al", "-lah", "-R", "-1"]],
	["npm test", ["--silent"]],
]);
