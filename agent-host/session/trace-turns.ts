import { createRecorder, type Recorder } from "../telemetry/recorder.ts";
import { sendSpans } from "../telemetry/send.ts";
import type { Ports } from "./ports/ports.ts";

/**
 * Records a trace of each turn from what is published through these ports, and sends it if the user has configured
 * that.
 */
export function traceTurns(ports: Ports): { readonly recorder: Recorder; readonly ports: Ports } {
	const recorder = createRecorder({
		now: ports.now,
		ended: ({ telemetry: { endpoint } }, spans) => {
			if (endpoint === "") return;
			sendSpans(endpoint, spans).catch((error: unknown) => ports.log("warning", `A trace could not be sent: ${error}`));
		},
	});
	const publish: Ports["publish"] = (threadId, event) => {
		recorder.observe(event);
		ports.publish(threadId, event);
	};
	return { recorder, ports: { ...ports, publish } };
}
