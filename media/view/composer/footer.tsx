import { t } from "../../../l10n/t.ts";
import { listMeters } from "../../model/composer/meters.ts";
import { type Chip, listTurnChips } from "../../model/composer/turn-chips.ts";
import { describeContext, percentLeft } from "../../model/words/context-left.ts";
import { showInvisible } from "../../model/words/invisible.ts";
import type { ChatSettings } from "../../wire.ts";
import { Icon } from "../parts/icon.tsx";
import { usePage } from "../parts/page-context.ts";

/** Below the composer: folder, model, permissions, and how much of the context window is left. */
export function Footer() {
	const page = usePage();
	const panel = page.panel.value;
	if (!panel) return <footer id="footer" />;
	return (
		<footer id="footer">
			{listTurnChips(panel, page.next.value).map(
				// The composer has the switch of plan mode.
				(chip) => chip.name !== "plan" && <ChipButton key={chip.name} chip={chip} />,
			)}
			<span class="meters">
				<Meters chat={panel.chat} />
				<ContextMeter />
			</span>
		</footer>
	);
}

const ICONS: Record<Chip["name"], string> = {
	folder: "folder",
	model: "sparkle",
	permissions: "shield",
	plan: "checklist",
	live: "mic",
};

function ChipButton({ chip: { name, text, title, command, level } }: { readonly chip: Chip }) {
	const page = usePage();
	return (
		<button
			type="button"
			class="chip"
			data-chip={name}
			data-level={level}
			title={showInvisible(title)}
			aria-label={showInvisible(t("{0}. Change", title))}
			onClick={() => page.run(command)}
		>
			<Icon name={level === "warning" ? "warning" : ICONS[name]} />
			<span class="chip-text">{showInvisible(text)}</span>
		</button>
	);
}

function Meters({ chat }: { readonly chat: ChatSettings }) {
	return (
		<>
			{listMeters(usePage().thread.transcript.value, chat).map(({ name, text, title }) => (
				<span key={name} class="footer-part" data-meter={name} title={showInvisible(title)}>
					{text}
				</span>
			))}
		</>
	);
}

function ContextMeter() {
	const page = usePage();
	const context = (page.next.value ?? page.panel.value?.next)?.context;
	if (context === undefined) return null;
	const percent = percentLeft(context);
	return (
		<button
			type="button"
			id="context-meter"
			class="footer-part"
			data-level={page.next.value === undefined ? "unconfirmed" : "plain"}
			data-percent={percent}
			title={describeContext(context)}
			aria-expanded={page.context.value !== undefined}
			onClick={() => {
				if (page.context.value === undefined) page.post({ type: "readContext" });
				page.context.value = undefined;
			}}
		>
			<span class="meter" aria-hidden="true">
				<span class="meter-fill" style={{ width: `${100 - percent}%` }} />
			</span>
			<span class="chip-text">{t("{0}% context left", percent)}</span>
		</button>
	);
}
