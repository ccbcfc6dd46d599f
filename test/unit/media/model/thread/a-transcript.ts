import type { PublishedEvent } from "../../../../../agent-host/protocol/thread/events.ts";
import { foldEvents } from "../../../../../media/model/thread/fold-events.ts";
import { emptyTranscript, type Transcript } from "../../../../../media/model/thread/transcript.ts";
import type { AThread } from "../../../../page/a-thread.ts";

export function aTranscript({ events }: AThread): Transcript {
	return foldEvents(emptyTranscript("A thread"), events);
}

/** Folds one event. */
export function reduceTranscript(transcript: Transcript, published: PublishedEvent): Transcript {
	return foldEvents(transcript, [published]);
}
