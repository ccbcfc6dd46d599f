import { useRef } from "preact/hooks";
import { t } from "../../../l10n/t.ts";
import type { SimilarGroup } from "../../model/approval/group-similar.ts";
import type { ApprovalEntry } from "../../model/thread/entry.ts";
import { EscapedName } from "../parts/escaped-text.tsx";
import { usePage } from "../parts/page-context.ts";
import { sentence } from "../parts/sentence.ts";
import { TooSoon } from "./too-soon.tsx";
import { useGuard } from "./use-guard.ts";

interface Props {
	readonly group: SimilarGroup;
	/** All pending approvals, numbered as on their cards. */
	readonly pending: readonly ApprovalEntry[];
	/** Approvals that the user has seen completely. */
	readonly seen: ReadonlySet<ApprovalEntry>;
}

/** Allows several similar approvals at once: those that it lists, and no later ones. */
export function AllowGroup({ group: { about, name, members }, pending, seen }: Props) {
	const page = usePage();
	const bar = useRef<HTMLDivElement>(null);
	const waiting = members.filter(
		(entry) => pending.includes(entry) && !page.answered.value.has(entry.request.approvalId),
	);
	const { handlers, isRefused } = useGuard(bar, waiting.map(({ key }) => key).join());
	const isSeen = waiting.every((entry) => seen.has(entry));
	const places = members.map((entry) => pending.indexOf(entry) + 1).filter((place) => place > 0);
	return (
		<div ref={bar} class="allow-group" {...handlers}>
			<TooSoon isRefused={isRefused} />
			<div class="plain">
				<p>{sentence("Approvals {0}: {1}", places.join(", "), sentence(about, <EscapedName name={name} />))}</p>
				{!isSeen && <p class="quiet">{t("Review each one before allowing all.")}</p>}
			</div>
			<button
				type="button"
				class="button-secondary"
				data-decision="allowGroup"
				disabled={waiting.length < 2 || !isSeen}
				onClick={() => {
					for (const { request } of waiting) page.answerApproval(request, "allow");
				}}
			>
				{t("Allow these {0} once", members.length)}
			</button>
		</div>
	);
}
