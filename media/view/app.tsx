import type { Page } from "../model/page.ts";
import { Announcer } from "./announcer.tsx";
import { Approvals } from "./approval/approvals.tsx";
import { Questions } from "./approval/question-card.tsx";
import { Aside } from "./aside-card.tsx";
import { Banners, ModelBanner, Problems } from "./banners.tsx";
import { ChangesBar } from "./changes-bar.tsx";
import { Composer } from "./composer/composer.tsx";
import { Footer } from "./composer/footer.tsx";
import { QueueList } from "./composer/queue-list.tsx";
import { StopHint } from "./composer/stop-hint.tsx";
import { ContextBreakdown } from "./context-breakdown.tsx";
import { FindBar } from "./find/find-bar.tsx";
import { FocusKeeper } from "./focus-keeper.ts";
import { GoalBar } from "./goal-bar.tsx";
import { PanelKeys } from "./panel-keys.ts";
import { PageContext, usePage } from "./parts/page-context.ts";
import { PlanBar } from "./plan-bar.tsx";
import { StatusLine } from "./status-line.tsx";
import { ThreadTitle } from "./thread-title.tsx";
import { TranscriptView } from "./transcript/transcript-view.tsx";
import { Welcome } from "./welcome.tsx";

export function App({ page }: { readonly page: Page }) {
	return (
		<PageContext.Provider value={page}>
			{/* For tests: which thread is shown, how many of its events are drawn, and whether a turn runs. */}
			<main
				class="panel"
				data-thread={page.thread.announcedId}
				data-seq={page.thread.drawn}
				data-running={page.thread.isRunning}
			>
				<h1 class="sr-only">Vitrine</h1>
				<ThreadTitle />
				<div class="banners">
					<Banners />
				</div>
				<FindBar />
				<Thread />
				<div class="dock">
					<Problems />
					<Aside />
					<Approvals />
					<Questions />
					<PlanBar />
					<GoalBar />
					<ChangesBar />
					<div class="status-row">
						<StatusLine />
						<StopHint />
					</div>
					<ModelBanner />
					<QueueList />
					<Composer />
					<ContextBreakdown />
					<Footer />
				</div>
				<PanelKeys />
				<FocusKeeper />
				<Announcer />
			</main>
		</PageContext.Provider>
	);
}

function Thread() {
	const page = usePage();
	const isEmpty = page.thread.transcript.value.entries.length === 0 && !page.thread.transcript.value.running;
	if (isEmpty && !page.thread.loading.value) return <Welcome />;
	return <TranscriptView key={page.thread.id.value} />;
}
