import { t } from "../../../l10n/t.ts";
import { type SlashCommand, suggestCommands } from "../../model/composer/slash.ts";
import { usePage } from "../parts/page-context.ts";

/** Explains what happens to a draft that starts with an exclamation mark. */
export function ShellHint() {
	const page = usePage();
	if (!page.composer.draft.value.startsWith("!")) return null;
	return (
		<p class="shell-hint quiet" role="status">
			{page.panel.value?.next?.commands === false
				? t("Commands can't run now. Start with a space to send as text.")
				: t(
						"Runs in the sandbox; the model sees the output with your next message. Start with a space to send as text.",
					)}
		</p>
	);
}

/** Explains what happens when the edited last prompt is sent. */
export function RecalledHint() {
	if (usePage().composer.recall.turnId.value === undefined) return null;
	return (
		<p class="shell-hint quiet" role="status">
			{t("Your last prompt. Sending rolls back that turn first; Esc cancels.")}
		</p>
	);
}

/** Suggested commands for what is being typed. */
export function SlashList() {
	const page = usePage();
	const offered = suggestCommands(page.composer.draft.value);
	if (offered.length === 0) return null;
	const choose = ({ name, argument }: SlashCommand): void =>
		page.composer.suggest(argument === undefined ? `/${name}` : `/${name} `);
	return (
		<ul class="slash-list" aria-label={t("Commands")}>
			{offered.map((command) => (
				<li key={command.name}>
					<button type="button" onClick={() => choose(command)}>
						<span class="mono">
							/{command.name} {command.argument && t(command.argument)}
						</span>
						<span class="quiet">{t(command.about)}</span>
					</button>
				</li>
			))}
		</ul>
	);
}
