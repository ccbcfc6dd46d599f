import { countOf, t } from "../../../l10n/t.ts";
import { IconAction } from "../icon-action.tsx";
import { showInvisible } from "../invisible.ts";
import { usePage } from "../page-context.ts";
import { queueOf } from "./composer-queue.ts";
import type { Queued } from "./queue-state.ts";

/** Characters of a waiting message that are drawn; the rest would not fit its line. */
const SHOWN_CHARS = 300;

/** Messages that wait, in the order in which they go. */
export function QueueList() {
	const page = usePage();
	const queue = queueOf(page.composer.state.value);
	if (queue.length === 0) return null;
	// Nothing goes by itself after a turn that was stopped or failed, nor what was refused.
	const isWaiting =
		page.thread.retryable.value !== undefined || (queue[0]?.held === true && !page.thread.isRunning.value);
	return (
		<section class="queue" aria-label={t("Queue")}>
			<div class="queue-head quiet" role="status">
				{countOf(queue.length, "{0} message in the queue", "{0} messages in the queue")}
				{isWaiting && ` · ${t("Send the next one yourself")}`}
			</div>
			<ol>
				{queue.map((queued, index) => (
					<Row key={queued.id} queued={queued} place={placeOf(index, queue.length)} />
				))}
			</ol>
		</section>
	);
}

type Place = "only" | "first" | "middle" | "last";

function placeOf(index: number, length: number): Place {
	if (length === 1) return "only";
	if (index === 0) return "first";
	return index === length - 1 ? "last" : "middle";
}

function Row({ queued: { id, text }, place }: { readonly queued: Queued; readonly place: Place }) {
	const page = usePage();
	const { sender } = page.composer;
	const isSending = page.composer.state.value.sent?.id === id;
	const now = page.thread.isRunning.value
		? { name: t("Steer with it now"), icon: "compass" }
		: { name: t("Send now"), icon: "send" };
	const isBusy = page.composer.state.value.sent !== undefined;
	const edit = (): void => {
		sender.edit(id);
		page.composer.focus();
	};
	return (
		<li class="queued" data-queued={id}>
			<span class="queued-text">{showInvisible(text.slice(0, SHOWN_CHARS).toWellFormed())}</span>
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
