/** What a wait needs of the editor and the clock. */
export interface WaitPorts {
	readonly now: () => number;
	/** Returns how to cancel it. */
	readonly setTimer: (ms: number, work: () => void) => () => void;
	/** Calls back after each report of a language server; returns how to stop that. */
	readonly onReport: (listener: () => void) => () => void;
}

export interface Wait {
	/** All that is waited for was reported on. */
	readonly isDone: () => boolean;
	/** When to give up. */
	readonly limitMs: number;
	/** How long servers must be quiet: they report in stages, and the next stage takes about as long as the first. */
	readonly quietMs: number;
	readonly maxQuietMs: number;
	/** Resolves with an answer of the servers, after what they did before; rejects if there is none. */
	readonly ask: () => Promise<unknown>;
	/** How many answers in a row show that they are done: between two of them, a server takes a step of its work. */
	readonly answers: number;
	/** From then on, servers that are done have nothing to report; undefined if they may not have started. */
	readonly silentMs: number | undefined;
}

/**
 * Resolves when all is reported on, no report came for a while and the servers are done, or when time is up. A server
 * that finds nothing new may say nothing: then also without a report.
 */
export function waitUntilQuiet(
	{ now, setTimer, onReport }: WaitPorts,
	{ isDone, limitMs, quietMs, maxQuietMs, ask, answers, silentMs }: Wait,
): Promise<void> {
	return new Promise((resolve) => {
		const begun = now();
		const cancels = new Map<string, () => void>();
		let isOver = false;
		let isSilent = false;
		let reports = 0;
		const start = (name: string, ms: number, work: () => void): void => {
			cancels.get(name)?.();
			cancels.set(name, setTimer(ms, work));
		};
		const finish = (): void => {
			isOver = true;
			for (const cancel of cancels.values()) cancel();
			resolve();
		};
		const askAll = async (answered: () => void): Promise<void> => {
			for (let left = answers; left > 0 && !isOver; left -= 1) {
				await ask();
				answered();
			}
		};
		const look = (): void => {
			cancels.get("quiet")?.();
			if (isDone()) start("quiet", Math.max(quietMs, Math.min(now() - begun, maxQuietMs)), () => void confirm());
			else if (isSilent) start("quiet", quietMs, finish);
		};
		const confirm = async (): Promise<void> => {
			const seen = reports;
			// Not every server answers, but one that does is still at work.
			const wait = (): void => {
				if (!isOver && reports === seen) start("quiet", maxQuietMs, finish);
			};
			wait();
			await askAll(wait).catch(() => undefined);
			if (!isOver && reports === seen) finish();
		};
		const expectSilence = async (): Promise<void> => {
			await askAll(() => undefined);
			isSilent = true;
			if (!isOver && !isDone()) look();
		};
		cancels.set(
			"reports",
			onReport(() => {
				reports += 1;
				look();
			}),
		);
		start("limit", limitMs, finish);
		// Without an answer only the time decides.
		if (silentMs !== undefined) start("silence", silentMs, () => void expectSilence().catch(() => undefined));
		look();
	});
}
