import { countOf, t } from "../../../l10n/t.ts";
import { getQueue } from "../../model/composer/composer-queue.ts";
import type { Queued } from "../../model/composer/queue-state.ts";
import { showInvisible, showPath } from "../../model/words/invisible.ts";
import { Icon } from "../parts/icon.tsx";
import { IconAction } from "../parts/icon-action.tsx";
import { usePage } from "../parts/page-context.ts";

/** Number of characters shown of a queued message; more would not fit on its line. */
const SHOWN_CHARS = 300;

/** Queued messages in order. */
export function QueueList() {
	const page = usePage();
	const { sender, state } = page.composer;
	const queue = getQueue(state.value);
	const [first] = queue;
	if (first === undefined) return null;
	const isBusy = state.value.sent !== undefined;
	// Nothing is sent automatically after a stopped or failed turn, nor after a refusal.
	const isWaiting = page.thread.retryable.value !== undefined || (first.held === true && !page.thread.isRunning.value);
	return (
		<section class="queue" aria-label={t("Queue")}>
			<div class="queue-head quiet">
				<span role="status">{countOf(queue.length, "{0} message in the queue", "{0} messages in the queue")}</span>
				{isWaiting && (
					<button type="button" class="text-button" disabled={isBusy} onClick={() => sender.sendNow(first.id)}>
						{t("Send next message")}
					</button>
				)}
			</div>
			<ol>
				{queue.map((queued, index) => (
					<Row key={queued.id} queued={queued} place={findPlace(index, queue.length)} />
				))}
			</ol>
		</section>
	);
}

type Place = "only" | "first" | "middle" | "last";

function findPlace(index: number, length: number): Place {
	if (length === 1) return "only";
	if (index === 0) return "first";
	return index === length - 1 ? "last" : "middle";
}

/** Number of attachments of a queued message, their names as tooltip, and what was lost. */
function QueuedAlong({ queued: { attached = [], images = [], lost = 0 } }: { readonly queued: Queued }) {
	const names = [...images.map(({ name }) => name), ...attached.map(({ label }) => label)];
	return (
		<>
			{names.length > 0 && (
				<span class="queued-along quiet" title={names.map(showPath).join("\n")}>
					<Icon name="attach" />
					{countOf(names.length, "{0} attachment", "{0} attachments")}
				</span>
			)}
			{lost > 0 && (
				<span class="queued-along warning" role="status">
					<Icon name="warning" />
					{countOf(
						lost,
						"{0} image was lost in a reload. Edit the message to add it again.",
						"{0} images were lost in a reload. Edit the message to add them again.",
					)}
				</span>
			)}
		</>
	);
}

function Row({ queued, place }: { readonly queued: Queued; readonly place: Place }) {
	const { id, text } = queued;
	const page = usePage();
	const { sender } = page.composer;
	const isSending = page.composer.state.value.sent?.id === id;
	const now = page.thread.isRunning.value
		? { name: t("Send now"), icon: "compass" }
		: { name: t("Send now"), icon: "send" };
	const isBusy = page.composer.state.value.sent !== undefined;
	const edit = (): void => {
		sender.edit(id);
		page.composer.focus();
	};
	return (
		<li class="queued" data-queued={id}>
			<span class="queued-text">{showInvisible(text.slice(0, SHOWN_CHARS).toWellFormed())}</span>
			<QueuedAlong queued={queued} />
			<IconAction {...now} isReady={!isBusy} onClick={() => sender.sendNow(id)} />
			<IconAction name={t("Edit")} icon="edit" isReady={!isSending} onClick={edit} />
			<IconAction
				name={t("Move up")}
				icon="arrow-up"
				isReady={place === "middle" || place === "last"}
				onClick={() => sender.move(id, "up")}
			/>
			<IconAction
				name={t("Move down")}
				icon="arrow-down"
				isReady={place === "middle" || place === "first"}
				onClick={() => sender.move(id, "down")}
			/>
			<IconAction name={t("Delete")} icon="close" isReady={!isSending} onClick={() => sender.remove(id)} />
		</li>
	);
}
