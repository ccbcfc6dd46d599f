// Imported before any schema is built: otherwise Zod would compile a parser for every schema at its first use, which
// takes longer than most threads ever gain by it.
import * as z from "zod";

z.config({ jitless: true });
