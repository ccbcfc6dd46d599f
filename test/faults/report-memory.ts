// Loaded into a host before its own code: on SIGUSR2 it collects its garbage and writes down what it still holds.
import { writeFileSync } from "node:fs";

const file = process.env.VITRINE_MEMORY_REPORT ?? "";

process.on("SIGUSR2", () => {
	for (let round = 0; round < 3; round += 1) globalThis.gc?.();
	const { heapUsed, external } = process.memoryUsage();
	const resources = process.getActiveResourcesInfo();
	const timers = resources.filter((name) => name === "Timeout" || name === "Immediate").length;
	writeFileSync(file, JSON.stringify({ bytes: heapUsed + external, timers, resources: resources.length }));
});
