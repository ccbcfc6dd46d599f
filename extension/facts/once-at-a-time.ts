/** What is under way, by name. */
const underWay = new Set<string>();

/**
 * Does nothing while work of this name is under way. A second press comes before the first one shows anything, and would
 * do the same again: a second fork, a plan carried out twice. Not for work that waits for a message that can stay open.
 */
export async function onceAtATime(name: string, work: () => Promise<unknown>): Promise<void> {
	if (underWay.has(name)) return;
	underWay.add(name);
	try {
		await work();
	} finally {
		underWay.delete(name);
	}
}
