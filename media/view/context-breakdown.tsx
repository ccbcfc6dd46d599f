import { summarizeRequest } from "../model/inspector/request-model.ts";
import { describeContext } from "../model/words/context-left.ts";
import { WindowBar } from "./inspector/window-bar.tsx";
import { CommandButton } from "./parts/command-button.tsx";
import { usePage } from "./parts/page-context.ts";

/** Breakdown of the context window by kind, and where compaction starts; opened from the meter. */
export function ContextBreakdown() {
	const context = usePage().context.value;
	if (context === undefined) return null;
	return (
		<div class="breakdown">
			<p>{describeContext(context)}</p>
			<WindowBar state={context} model={summarizeRequest(context)} />
			<div class="actions">
				<CommandButton command="showContext" look="text-button" />
				<CommandButton command="compact" look="text-button" />
			</div>
		</div>
	);
}
