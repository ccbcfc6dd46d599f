import { type CpuMeter, createCpuMeter } from "./cpu.ts";
import { createOrdinaryUser } from "./ordinary-user.ts";
import { startWorker } from "./start-worker.ts";
import type { TaskReport } from "./task.ts";
import { createWorkers, type Order, type Workers } from "./workers.ts";

/** Whom a test file runs as: whoever runs the tests, or an ordinary user whom root becomes. */
export type User = "self" | "ordinary";

/** The processes that run test files, some for each stage. */
export interface Crew {
	readonly meter: CpuMeter;
	readonly users: readonly User[];
	readonly run: (stage: string, user: User, order: Order) => Promise<TaskReport>;
	/** Ends the processes of a stage that has no more files. */
	readonly dismiss: (stage: string) => void;
	/** Ends what is left. */
	readonly close: () => void;
}

/** @param fileMs What one file may take. */
export function createCrew(fileMs: number): Crew {
	const meter = createCpuMeter();
	const isRoot = process.platform === "linux" && process.getuid?.() === 0;
	const ordinary = isRoot ? createOrdinaryUser() : undefined;
	const stages = new Map<string, Workers>();
	const dismiss = (stage: string) => {
		stages.get(stage)?.close();
		stages.delete(stage);
	};
	return {
		meter,
		users: isRoot ? ["self", "ordinary"] : ["self"],
		run(stage, user, order) {
			const start = user === "ordinary" && ordinary !== undefined ? ordinary.startWorker : startWorker;
			const workers = stages.get(stage) ?? createWorkers(start, fileMs, meter);
			stages.set(stage, workers);
			return workers.run(order);
		},
		dismiss,
		close() {
			for (const stage of stages.keys()) dismiss(stage);
			ordinary?.remove();
			meter.stop();
		},
	};
}
