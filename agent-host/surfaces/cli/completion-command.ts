import type { CommandIo } from "./cli-command.ts";
import { listCompletions } from "./command-words.ts";
import { describeMisuse } from "./read-arguments.ts";

const DONE = 0;
const MISUSED = 2;

/** Prints the completions of a shell: the commands, and the options of each. */
export function completionCommand(args: readonly string[], io: CommandIo): Promise<number> {
	const [shell = "", extra] = args;
	const write = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
	if (write === undefined || extra !== undefined) {
		const reason =
			shell === "" ? "No shell is named." : `Unexpected argument '${write === undefined ? shell : extra}'.`;
		io.stderr.write(`${describeMisuse("completion", reason)}\n`);
		return Promise.resolve(MISUSED);
	}
	io.stdout.write(write());
	return Promise.resolve(DONE);
}

const COMPLETIONS = listCompletions();
const NAMES = COMPLETIONS.map(({ name }) => name).join(" ");

const SHELLS: Readonly<Record<string, () => string>> = {
	bash: () => `_vitrine() {
	local word="\${COMP_WORDS[COMP_CWORD]}" words
	case "\${COMP_WORDS[1]}" in
${COMPLETIONS.map(({ name, words }) => `		${name}) words="${words.join(" ")}" ;;`).join("\n")}
		*) words="${NAMES}" ;;
	esac
	[ "$COMP_CWORD" -eq 1 ] && words="${NAMES}"
	COMPREPLY=($(compgen -W "$words" -- "$word"))
	[ \${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "$word"))
}
complete -F _vitrine vitrine
`,
	zsh: () => `#compdef vitrine
_vitrine() {
	if (( CURRENT == 2 )); then
		compadd ${NAMES}
		return
	fi
	case "\${words[2]}" in
${COMPLETIONS.map(({ name, words }) => `		${name}) compadd -- ${words.join(" ")} ;;`).join("\n")}
	esac
	_files
}
compdef _vitrine vitrine
`,
	fish: () =>
		[
			...COMPLETIONS.map(({ name, about }) => `complete -c vitrine -n __fish_use_subcommand -a ${name} -d '${about}'`),
			...COMPLETIONS.flatMap(({ name, words }) =>
				words.map((word) => {
					const option = word.startsWith("--") ? `-l ${word.slice(2)}` : `-a ${word}`;
					return `complete -c vitrine -n '__fish_seen_subcommand_from ${name}' ${option}`;
				}),
			),
			"",
		].join("\n"),
};
