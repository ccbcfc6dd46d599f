/**
 * Loaded into a host: notes in the file that `VITRINE_LOOP_NOTES` names how many milliseconds of its processor the main thread took
 * whenever nothing else got a turn for long. Processor time, since a busy machine stretches every other.
 */
import { appendFileSync } from "node:fs";

const TICK_MS = 5;
const NOTED_MS = 20;

const notes = process.env.VITRINE_LOOP_NOTES;
if (notes !== undefined) {
	let before = process.threadCpuUsage();
	setInterval(() => {
		const { user, system } = process.threadCpuUsage(before);
		const took = (user + system) / 1_000;
		if (took > NOTED_MS) appendFileSync(notes, `${took.toFixed(1)}\n`);
		before = process.threadCpuUsage();
	}, TICK_MS).unref();
}
