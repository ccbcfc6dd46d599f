/** Stands for the home folder of a user who has none; nothing can be made there. */
export const NO_HOME = "/proc/nonexistent";
