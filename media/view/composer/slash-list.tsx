import { type Message, t } from "../../../l10n/t.ts";
import type { PageSlash } from "../../model/composer/page-slash.ts";
import type { SlashOption } from "../../model/composer/slash.ts";
import type { NextTurn } from "../../wire.ts";
import { usePage } from "../parts/page-context.ts";
import { ListOption } from "./list-option.tsx";

/** Explains what happens to a draft that starts with an exclamation mark. */
export function ShellHint() {
	const page = usePage();
	if (!page.composer.draft.value.startsWith("!")) return null;
	return (
		<p class="shell-hint quiet" role="status">
			{t(describeShell(page.next.value))}
		</p>
	);
}

function describeShell(next: NextTurn | undefined): Message {
	if (next?.commands === false) return "Commands can't run now. Start with a space to send as text.";
	return next?.isContained === false
		? "Runs without a sandbox, with your rights; the model sees the output with your next message. Start with a space to send as text."
		: "Runs in the sandbox; the model sees the output with your next message. Start with a space to send as text.";
}

export const SLASH_LIST = "slash-list";

export function slashOptionId(index: number): string {
	return `${SLASH_LIST}-${index}`;
}

/** Suggested commands for what is being typed. */
export function SlashList() {
	const { slash } = usePage().composer;
	const offered = slash.offered.value;
	if (offered.length === 0) return null;
	return (
		<div id={SLASH_LIST} class="option-list" role="listbox" aria-label={t("Commands")}>
			{offered.map((command, index) => (
				<Option key={command.name} slash={slash} command={command} index={index} />
			))}
		</div>
	);
}

interface OptionProps {
	readonly slash: PageSlash;
	readonly command: SlashOption;
	readonly index: number;
}

function Option({ slash, command, index }: OptionProps) {
	const { label, detail } = describeOption(command);
	return (
		<ListOption
			id={slashOptionId(index)}
			isActive={slash.active.value === index}
			label={label}
			look="code"
			detail={detail}
			onChoose={() => slash.choose(index)}
		/>
	);
}

/** What people brought along says where it is from. */
function describeOption(option: SlashOption): { readonly label: string; readonly detail: string } {
	if ("origin" in option) {
		const { name, about, argumentHint, origin } = option;
		const source = origin === "user" ? t("yours") : t("from the workspace");
		return { label: argumentHint === "" ? `/${name}` : `/${name} ${argumentHint}`, detail: `${about} (${source})` };
	}
	const { name, argument, about } = option;
	return { label: argument === undefined ? `/${name}` : `/${name} ${t(argument)}`, detail: t(about) };
}
