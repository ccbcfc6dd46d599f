/** A process at one moment, in ticks. */
export interface Seen {
	readonly pid: number;
	readonly parent: number;
	/** When it started: a number may be given to another process later. */
	readonly start: number;
	readonly own: number;
	/** Of its children that have ended and were waited for, and of theirs. */
	readonly waited: number;
}

/** Who inherits from one whose ancestors have all ended; nobody that we watch. */
const NOBODY = 0;

interface Known extends Seen {
	/** The watched process that it descends from. */
	readonly root: number;
}

/** Adds up what was seen, look by look. */
export function createTally() {
	const roots = new Set<number>();
	let known = new Map<number, Known>();
	/** What ended and is in nobody's count any more. */
	const lost = new Map<number, number>();
	return {
		watch: (pid: number) => void roots.add(pid),
		add(seen: readonly Seen[]) {
			const now = findKnown(seen, known, roots);
			for (const [root, ticks] of findLost(known, now)) lost.set(root, (lost.get(root) ?? 0) + ticks);
			known = now;
		},
		/** Undefined for one that was never seen. */
		ticksSoFar(root: number): number | undefined {
			if (!known.has(root) && !lost.has(root)) return undefined;
			return ticksOf([...known.values()].filter((one) => one.root === root)) + (lost.get(root) ?? 0);
		},
	};
}

/** Those that descend from a watched one, or did when they were last seen. */
function findKnown(
	seen: readonly Seen[],
	before: ReadonlyMap<number, Known>,
	roots: ReadonlySet<number>,
): Map<number, Known> {
	const byPid = new Map(seen.map((one) => [one.pid, one]));
	const rootOf = (one: Seen | undefined): number | undefined => {
		if (one === undefined) return undefined;
		if (roots.has(one.pid)) return one.pid;
		const old = before.get(one.pid);
		return old?.start === one.start ? old.root : rootOf(byPid.get(one.parent));
	};
	return new Map(
		seen.flatMap((one) => {
			const root = rootOf(one);
			return root === undefined ? [] : [[one.pid, { ...one, root }] as const];
		}),
	);
}

/** What those that ended had used, as far as the nearest ancestor that is left was not charged with it. */
function findLost(before: ReadonlyMap<number, Known>, now: ReadonlyMap<number, Known>): ReadonlyMap<number, number> {
	const lives = (one: Known) => now.get(one.pid)?.start === one.start;
	const ended = [...before.values()].filter((one) => !lives(one));
	const heirOf = (one: Known): number => {
		const parent = before.get(one.parent);
		return parent === undefined ? NOBODY : lives(parent) ? parent.pid : heirOf(parent);
	};
	return new Map(
		[...Map.groupBy(ended, ({ root }) => root)].map(([root, gone]) => {
			const losses = [...Map.groupBy(gone, heirOf)].map(([heir, theirs]) => {
				const charged = (now.get(heir)?.waited ?? 0) - (before.get(heir)?.waited ?? 0);
				return Math.max(0, ticksOf(theirs) - charged);
			});
			return [root, losses.reduce((sum, ticks) => sum + ticks, 0)];
		}),
	);
}

function ticksOf(all: readonly Known[]): number {
	return all.reduce((sum, { own, waited }) => sum + own + waited, 0);
}
