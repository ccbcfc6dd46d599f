/** Which capability will use something, by the name of what waits for it. */
type Waiting = Readonly<Record<string, string>>;

const WINDOWS = "a sandbox on Windows";

/**
 * All that is declared and that nothing but tests uses yet. `npm run check` compares the code with it, and
 * test/unit/declared.test.ts the rest: what is not listed fails, and what is listed without need fails, too.
 */
export const NOT_YET_USED = {
	/** Files, and exports as `file: name`. */
	code: {
		"agent-host/sandbox/windows.ts": WINDOWS,
	},
	fragments: {},
	methods: {},
	errors: {},
	/** Of items and of events. */
	items: {},
	settings: { "modes.realtime": "sound; until then, live mode is chosen for one thread, never for all" },
} satisfies Readonly<Record<string, Waiting>>;

/** What waits without being listed, and what is listed without waiting; empty when the list is right. */
export function compareWaiting(found: Iterable<string>, listed: Waiting): readonly string[] {
	const waiting = new Set(found);
	return [
		...[...waiting].filter((name) => !(name in listed)).map((name) => `${name} is used by nothing but tests`),
		...Object.keys(listed)
			.filter((name) => !waiting.has(name))
			.map((name) => `${name} is used, or gone: take it off the list in test/support/not-yet-used.ts`),
	];
}
