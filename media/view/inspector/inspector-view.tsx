import { nameCacheMiss } from "../../../l10n/cache-words.ts";
import { countOf, numberOf, t } from "../../../l10n/t.ts";
import type { InspectorState } from "../../inspector-wire.ts";
import type { Inspector } from "../../model/inspector/inspector.ts";
import { nameItem, type RequestModel } from "../../model/inspector/request-model.ts";
import { showInvisible } from "../../model/words/invisible.ts";
import { Icon } from "../parts/icon.tsx";
import { IconAction } from "../parts/icon-action.tsx";
import { sentence } from "../parts/sentence.ts";
import { Groups } from "./item-groups.tsx";
import { Sources } from "./source-list.tsx";
import { WindowBar } from "./window-bar.tsx";

export function InspectorView({ inspector }: { readonly inspector: Inspector }) {
	const state = inspector.state.value;
	const model = inspector.model.value;
	return (
		<main class="inspector">
			<header>
				<h1>{describeTitle(state)}</h1>
				<Steps inspector={inspector} request={state?.request} />
				<button
					type="button"
					class="icon-button"
					title={t("Refresh")}
					aria-label={t("Refresh")}
					onClick={() => inspector.refresh()}
				>
					<Icon name="refresh" />
				</button>
			</header>
			{state && model ? (
				<Request inspector={inspector} state={state} model={model} />
			) : (
				<p id="empty" role="status">
					{showInvisible(inspector.reason.value) || t("Waiting for the agent host…")}
				</p>
			)}
		</main>
	);
}

function describeTitle(state: InspectorState | undefined): string {
	const { number, of } = state?.request ?? {};
	return number === undefined || of === undefined ? t("The next request") : t("Request {0} of {1}", number, of);
}

/** Steps through the requests; after the newest sent one comes the next one. */
function Steps({
	inspector,
	request,
}: Pick<Props, "inspector"> & { readonly request: InspectorState["request"] | undefined }) {
	const earlier = request === undefined ? -1 : request.number - 1;
	const later = request === undefined || request.number === request.of ? undefined : request.number + 1;
	return (
		<>
			<IconAction
				name={t("Previous request")}
				icon="arrow-left"
				isReady={earlier !== 0}
				onClick={() => inspector.showRequest(earlier)}
			/>
			<IconAction
				name={t("Next request")}
				icon="arrow-right"
				isReady={request !== undefined}
				onClick={() => inspector.showRequest(later)}
			/>
			<IconAction
				name={t("Compare with previous request")}
				icon="diff"
				isReady={request?.number !== 1}
				onClick={() => inspector.compare()}
			/>
			<IconAction name={t("Show as sent (JSON)")} icon="json" isReady={true} onClick={() => inspector.showRaw()} />
		</>
	);
}

interface Props {
	readonly inspector: Inspector;
	readonly state: InspectorState;
	readonly model: RequestModel;
}

function Request({ inspector, state, model }: Props) {
	return (
		<>
			<p id="totals" role="status">
				{sentence(
					"{0} of {1} ({2}). Counts of single items are estimates.",
					<strong>{countOf(state.tokens, "About {0} token", "About {0} tokens")}</strong>,
					numberOf(state.effectiveWindow),
					showInvisible(state.model),
				)}
			</p>
			{state.request?.isExact === false && (
				<p id="inexact" role="status">
					{t("Reconstructed from the thread's records; not exactly what was sent.")}
				</p>
			)}
			<WindowBar state={state} model={model} />
			<Cache inspector={inspector} state={state} model={model} />
			<Policy state={state} />
			{state.notFollowed && (
				<p id="not-followed">
					{t("Not used because the workspace is not trusted:")} {showInvisible(state.notFollowed.join(", "))}
				</p>
			)}
			<Sources inspector={inspector} sources={state.sources ?? []} />
			<Filter inspector={inspector} model={model} />
			<Groups inspector={inspector} model={model} />
		</>
	);
}

/** What the provider can reuse from the previous request, and which item ends that. */
function Cache({ inspector, state, model: { cachedTokens, breaker } }: Props) {
	const percent = state.tokens === 0 ? 0 : Math.round((100 * cachedTokens) / state.tokens);
	const goTo = () => {
		if (breaker === undefined) return;
		inspector.reveal(breaker);
		requestAnimationFrame(() => document.getElementById(`item-${breaker.index}`)?.focus());
	};
	return (
		<p id="cache">
			<Icon name="history" />
			<span>
				{cachedTokens === 0
					? state.cacheMiss === undefined && t("Nothing has been sent yet, so nothing is cached.")
					: t(
							"About {0} can be reused from the cache ({1}%).",
							countOf(cachedTokens, "{0} token", "{0} tokens"),
							percent,
						)}
			</span>
			{state.cacheMiss !== undefined && (
				<span id="cache-miss">{t("Cache miss caused by: {0}.", nameCacheMiss(state.cacheMiss))}</span>
			)}
			{breaker !== undefined && (
				<span>
					{t("First difference: {0}.", nameItem(breaker.kind))}{" "}
					<button type="button" class="text-button" onClick={goTo}>
						{t("Show it")}
					</button>
				</span>
			)}
			{breaker === undefined && cachedTokens > 0 && <span>{t("No changes.")}</span>}
		</p>
	);
}

function Policy({ state }: { readonly state: InspectorState }) {
	return (
		<details id="policy">
			<summary>
				{t("Permissions")} <code>{state.policyDigest.slice(0, 8)}</code>
			</summary>
			<ul>
				{state.policy.map((sentence) => (
					<li key={sentence} class="plain">
						{showInvisible(sentence)}
					</li>
				))}
			</ul>
		</details>
	);
}

function Filter({ inspector, model }: Pick<Props, "inspector" | "model">) {
	return (
		<label class="filter">
			{t("Show")}{" "}
			<select
				id="kind"
				value={inspector.kind.value}
				onChange={({ currentTarget }) => {
					inspector.kind.value = currentTarget.value;
				}}
			>
				<option value="">{t("everything")}</option>
				{model.kinds.map(({ kind, name }) => (
					<option key={kind} value={kind}>
						{name}
					</option>
				))}
			</select>{" "}
			<select
				id="origin"
				aria-label={t("Origin")}
				value={inspector.origin.value}
				onChange={({ currentTarget }) => {
					inspector.origin.value = currentTarget.value;
				}}
			>
				<option value="">{t("from anywhere")}</option>
				{model.origins.map((origin) => (
					<option key={origin} value={origin}>
						{t("from {0}", showInvisible(origin))}
					</option>
				))}
			</select>
		</label>
	);
}
