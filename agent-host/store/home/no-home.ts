/** The home folder of a user without one; nothing can be created there. */
export const NO_HOME = "/proc/nonexistent";
