import { emptyTranscript, foldEvents, type Transcript } from "../../../media/transcript.ts";
import type { AThread } from "../../page/a-thread.ts";

export function aTranscript({ events }: AThread): Transcript {
	return foldEvents(emptyTranscript("A thread"), events);
}
