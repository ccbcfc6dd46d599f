import { environment as environmentFragment } from "./fragments/environment.ts";
import { turnAborted } from "./fragments/turn-aborted.ts";
import { environment } from "./sections/environment.ts";

/** Everything the model can be told besides the conversation. The page a reviewer opens. */
export const FRAGMENTS = [environmentFragment, turnAborted] as const;

/** The parts of the world the model is kept informed of, in the order it reads them. */
export const SECTIONS = [environment];
