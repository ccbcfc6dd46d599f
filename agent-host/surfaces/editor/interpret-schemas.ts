// Loaded before any schema is built: otherwise Zod would compile a parser for every schema at its first use, which takes
// longer than most threads ever gain by it. A static import would not do, because the bundler puts schemas that several
// chunks share into one that is loaded before them.
import * as z from "zod";

z.config({ jitless: true });
