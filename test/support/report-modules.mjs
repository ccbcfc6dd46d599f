/** Loaded into a host: writes the modules of Node that it has loaded to the file that `VITRINE_MODULES` names, at its end. */
import { writeFileSync } from "node:fs";

const file = process.env.VITRINE_MODULES;
if (file !== undefined) process.on("exit", () => writeFileSync(file, process.moduleLoadList.join("\n")));
