import { join } from "node:path";

/** The built command line. */
export const VITRINE = join(import.meta.dirname, "../../../dist/cli/vitrine.cjs");
