import { t } from "../../l10n/t.ts";
import { showInvisible } from "../model/words/invisible.ts";
import type { PanelCommand, PanelState } from "../wire.ts";
import { CommandButton } from "./parts/command-button.tsx";
import { Icon } from "./parts/icon.tsx";
import { usePage } from "./parts/page-context.ts";

/** Banners above the thread: what limits the agent in this window. */
export function Banners() {
	const { panel, next } = usePage();
	const state = panel.value;
	if (!state) return null;
	const { isFolderOpen, cwd = "", offered } = next.value ?? {};
	return (
		<>
			{state.host.state === "stopped" && (
				<Banner name="hostStopped" icon="error" commands={["restartHost", "showLog"]}>
					{state.host.reason}
				</Banner>
			)}
			{!state.trusted && (
				<Banner name="restricted" icon="shield" commands={["manageTrust"]}>
					{t("Restricted Mode: read-only")}
				</Banner>
			)}
			{state.limits?.map((limit) => (
				<Banner
					key={limit.text}
					name="limit"
					icon="warning"
					commands={[limit.canCheck ? "checkSandbox" : "restartHost"]}
					copied={limit.command}
				>
					{limit.text}
				</Banner>
			))}
			{(state.folderProblem !== undefined || state.folders.length === 0) && (
				<Banner name="noFolder" icon="folder" commands={state.folderProblem === undefined ? ["openFolder"] : []}>
					{state.folderProblem ?? t("No folder is open, so no files are available. You can still ask questions.")}
				</Banner>
			)}
			{isFolderOpen === false && (
				<Banner name="folderNotOpen" icon="folder" commands={["openThreadFolder", "changeFolder"]}>
					{t("{0} is not open in this window, so this thread is read-only there.", cwd)}
				</Banner>
			)}
			{offered !== undefined && (
				<Banner name="offered" icon="settings-gear" commands={["useSettings", "keepSettings"]}>
					{t("Settings changed: {0}. This thread still uses its own.", offered)}
				</Banner>
			)}
		</>
	);
}

/** Names the model if needed: quietly for the demo, plainly if a turn would fail. */
export function ModelBanner() {
	const model = usePage().panel.value?.model;
	if (!model) return null;
	if (model.provider === "demo") return <DemoLabel />;
	if (!model.incomplete) return null;
	return (
		<Banner name="model" icon="warning" commands={["setUpModel"]}>
			{incompleteText(model)}
		</Banner>
	);
}

/** Problems reported by the extension that belong to no turn. */
export function Problems() {
	const page = usePage();
	return (
		<>
			{page.problems.value.map((problem) => (
				<Banner
					key={problem.message}
					name="problem"
					icon="warning"
					commands={problem.action ? [problem.action] : []}
					onDismiss={() => page.dismiss(problem)}
				>
					{problem.message}
				</Banner>
			))}
		</>
	);
}

function DemoLabel() {
	return (
		<div class="demo" data-banner="demo">
			<span>{t("Demo model, scripted and offline")}</span>
			<CommandButton command="setUpModel" look="text-button" />
		</div>
	);
}

function incompleteText({ label }: PanelState["model"]): string {
	if (label === "") return t("The model is not set up yet: its name or key is missing.");
	return t("{0} is not set up yet: its name or key is missing.", label);
}

interface Props {
	readonly name:
		| "hostStopped"
		| "restricted"
		| "noFolder"
		| "folderNotOpen"
		| "offered"
		| "limit"
		| "model"
		| "problem";
	readonly icon: string;
	readonly commands: readonly PanelCommand[];
	/** Shown below the text, with a button that copies it. */
	readonly copied?: string | undefined;
	readonly onDismiss?: () => void;
	readonly children: string;
}

function Banner({ name, icon, commands, copied, onDismiss, children }: Props) {
	const page = usePage();
	return (
		<div class="banner" data-banner={name} role={name === "problem" ? "alert" : "note"}>
			<Icon name={icon} />
			<div class="banner-text">
				<span class="plain">{showInvisible(children)}</span>
				{copied !== undefined && <code>{showInvisible(copied)}</code>}
				<span class="actions">
					{copied !== undefined && (
						<button type="button" class="text-button" data-action="copy" onClick={() => page.copy(copied)}>
							{t("Copy Command")}
						</button>
					)}
					{commands.map((command) => (
						<CommandButton key={command} command={command} look="text-button" />
					))}
				</span>
			</div>
			{onDismiss && (
				<button type="button" class="icon-button" title={t("Dismiss")} aria-label={t("Dismiss")} onClick={onDismiss}>
					<Icon name="close" />
				</button>
			)}
		</div>
	);
}
