import { countOf, numberOf, t } from "../../../l10n/t.ts";
import type { InspectorItem } from "../../inspector-wire.ts";
import { GROUPS_SHOWN, type Inspector } from "../../model/inspector/inspector.ts";
import { type Group, nameItem, type RequestModel } from "../../model/inspector/request-model.ts";
import { showInvisible } from "../../model/words/invisible.ts";
import { describeCut } from "../../model/words/text.ts";
import { Icon } from "../parts/icon.tsx";
import { PinAction } from "../parts/pin-action.tsx";
import { MuteAction } from "./mute-action.tsx";

interface Props {
	readonly inspector: Inspector;
	/** The item that ends what the cache holds. */
	readonly breaker: InspectorItem | undefined;
}

/** Items in the order in which the model reads them, grouped by turn. */
export function Groups({ inspector, model }: Pick<Props, "inspector"> & { readonly model: RequestModel }) {
	const shown = model.groups.slice(-inspector.groupsShown.value);
	const left = model.groups.length - shown.length;
	return (
		<>
			{left > 0 && (
				<button
					type="button"
					class="text-button"
					onClick={() => {
						inspector.groupsShown.value += GROUPS_SHOWN;
					}}
				>
					{t("Show {0} earlier", Math.min(left, GROUPS_SHOWN))}
				</button>
			)}
			{shown.map((group) => {
				const items = group.items.filter((item) => inspector.isWanted(item));
				return items.length === 0 ? null : (
					<ItemGroup key={group.key} inspector={inspector} breaker={model.breaker} group={{ ...group, items }} />
				);
			})}
		</>
	);
}

function ItemGroup({ inspector, breaker, group }: Props & { readonly group: Group }) {
	return (
		<section class="group">
			<h2>
				{group.title} <span class="quiet group-size">{countOf(group.tokens, "{0} token", "{0} tokens")}</span>
			</h2>
			<ol>
				{group.items.map((item) => (
					<ItemRow key={item.index} inspector={inspector} breaker={breaker} item={item} />
				))}
			</ol>
		</section>
	);
}

function ItemRow({ inspector, breaker, item }: Props & { readonly item: InspectorItem }) {
	const isOpen = inspector.open.value.has(item.index);
	const breaks = item.index === breaker?.index;
	return (
		<li data-item={item.kind} data-cached={item.cached}>
			<div class="item-head">
				<button
					type="button"
					id={`item-${item.index}`}
					class="item-line"
					aria-expanded={isOpen}
					onClick={() => inspector.toggle(item)}
				>
					<Icon name={isOpen ? "chevron-down" : "chevron-right"} />
					<span class="item-kind">{nameItem(item.kind)}</span>
					<span class="item-preview quiet">{showInvisible(item.preview)}</span>
					<span class="item-facts">
						<span class="item-role quiet">{item.role}</span>
						<span class="item-origin quiet">{t("from {0}", showInvisible(item.origin))}</span>
						{item.mutable?.muted === true && <span class="item-muted">{t("muted")}</span>}
						<span class={`item-state ${item.cached ? "quiet" : "new"}`}>
							{item.cached ? t("cached") : breaks ? t("first change") : t("not cached")}
						</span>
						<span class="item-tokens">
							{item.estimated ? "≈ " : ""}
							{numberOf(item.tokens)}
							<span class="sr-only"> {item.estimated ? t("tokens, estimated") : t("tokens")}</span>
						</span>
					</span>
				</button>
				{item.mutable !== undefined && <MuteAction isMuted={item.mutable.muted} onClick={() => inspector.mute(item)} />}
				{item.pinned !== undefined && (
					<PinAction isPinned={item.pinned} isSteered={item.steered} onClick={() => inspector.pin(item)} />
				)}
			</div>
			{isOpen && <ItemBody inspector={inspector} item={item} />}
		</li>
	);
}

function ItemBody({ inspector, item }: { readonly inspector: Inspector; readonly item: InspectorItem }) {
	const body = inspector.texts.value.get(item.index);
	if (body === undefined) return <p class="quiet">{t("Loading…")}</p>;
	return (
		<>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it */}
			<section class="item-text" tabIndex={0} aria-label={t("Text of {0}", nameItem(item.kind))}>
				<pre>{showInvisible(body.text) || t("(empty)")}</pre>
			</section>
			{body.left > 0 && <p class="quiet">{describeCut(body.left)}</p>}
		</>
	);
}
